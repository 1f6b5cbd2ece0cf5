// Drawing on canvases: colours are those of the style sheet.

export function colour(name) { return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim(); }

// prepare sizes a canvas to its place and gives its context, in CSS pixels.
export function prepare(canvas, height) {
  const ratio = devicePixelRatio || 1, width = canvas.clientWidth || 600;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.height = height + "px";
  const g = canvas.getContext("2d");
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.font = "11px system-ui, sans-serif";
  return [g, width, height];
}

const dark = matchMedia("(prefers-color-scheme: dark)");

// heat is the colour of a share from 0 to 1.
export function heat(share) {
  const x = Math.max(0, Math.min(1, share));
  const stops = dark.matches ? [[32, 37, 44], [36, 78, 150], [190, 80, 110], [255, 190, 90], [255, 246, 200]]
    : [[238, 241, 245], [140, 180, 245], [110, 80, 200], [215, 60, 90], [120, 10, 30]];
  const at = x * (stops.length - 1), i = Math.min(stops.length - 2, Math.floor(at)), f = at - i;
  return "rgb(" + stops[i].map((c, k) => Math.round(c + (stops[i + 1][k] - c) * f)).join(",") + ")";
}

// plot draws series of points [x, y], x and y numbers.
export function plot(canvas, kind, series, options) {
  const o = options || {}, [g, w, hgt] = prepare(canvas, o.height || 190);
  const points = series.flatMap((s) => s.points).filter((p) => isFinite(p[0]) && isFinite(p[1]));
  g.fillStyle = colour("soft");
  if (!points.length) { g.fillText("nothing to draw", 8, 20); return; }
  let [x0, x1, y0, y1] = [Infinity, -Infinity, o.zero === false ? Infinity : 0, -Infinity];
  for (const [x, y] of points) { x0 = Math.min(x0, x); x1 = Math.max(x1, x); y0 = Math.min(y0, y); y1 = Math.max(y1, y); }
  if (y1 === y0) y1 = y0 + 1;
  if (x1 === x0) x1 = x0 + 1;
  const left = 52, right = w - 8, top = 8, bottom = hgt - 20;
  const X = (x) => left + (x - x0) / (x1 - x0) * (right - left), Y = (y) => bottom - (y - y0) / (y1 - y0) * (bottom - top);
  g.strokeStyle = colour("line");
  g.textAlign = "right";
  for (let i = 0; i <= 4; i++) {
    const y = y0 + (y1 - y0) * i / 4;
    g.beginPath(); g.moveTo(left, Y(y)); g.lineTo(right, Y(y)); g.stroke();
    g.fillText((o.y || String)(y), left - 5, Y(y) + 4);
  }
  g.textAlign = "left"; g.fillText((o.x || String)(x0), left, hgt - 5);
  g.textAlign = "right"; g.fillText((o.x || String)(x1), right, hgt - 5);
  series.forEach((s, k) => {
    g.strokeStyle = g.fillStyle = colour("accent");
    g.globalAlpha = 1 - 0.55 * k / Math.max(1, series.length);
    if (kind === "line") {
      g.lineWidth = 1.6;
      g.setLineDash(k ? [4 * k, 3] : []);
      g.beginPath();
      s.points.forEach(([x, y], i) => (i ? g.lineTo(X(x), Y(y)) : g.moveTo(X(x), Y(y))));
      g.stroke();
      g.setLineDash([]);
    } else if (kind === "bar") {
      const width = Math.max(1, (right - left) / s.points.length * 0.8 / series.length);
      for (const [x, y] of s.points) g.fillRect(X(x) - width / 2 * (x === x1 ? 2 : x === x0 ? 0 : 1), Y(Math.max(y, 0)), width, Math.abs(Y(0 < y0 ? y0 : 0) - Y(y)));
    } else for (const [x, y] of s.points) { g.beginPath(); g.arc(X(x), Y(y), 2.2, 0, 7); g.fill(); }
    g.globalAlpha = 1;
  });
}
