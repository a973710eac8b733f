// Charts as plain SVG: dots with intervals, points of two metrics, bars by bucket.

function extent(values, pad = 0.05) {
  const finite = values.filter(Number.isFinite);
  if (!finite.length) return [0, 1];
  let low = Math.min(...finite), high = Math.max(...finite);
  if (low === high) [low, high] = [low - 0.5, high + 0.5];
  const room = (high - low) * pad;
  return [low - room, high + room];
}

/** Round positions between two ends. */
function ticks(low, high, about = 5) {
  const raw = (high - low) / about;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw);
  const found = [];
  for (let t = Math.ceil(low / step) * step; t <= high + step * 1e-9; t += step) found.push(t);
  return [found, Math.max(0, -Math.floor(Math.log10(step) + 1e-9))];
}

const STEP = 28; // pixels between two rows of dots

/** Named values as dots with their intervals, the best first; `tone` says whose color and shape each has. */
function Dots({ label, rows, decimals, higher = true }) {
  const [place, width] = useWidth(240);
  const known = rows.filter((row) => Number.isFinite(row.value));
  const [low, high] = extent(known.flatMap((row) => [row.value, ...(row.interval ?? [])]));
  const height = STEP * rows.length;
  const x = (v) => 8 + ((v - low) / (high - low)) * (width - 16);
  const order = [...rows].sort((a, b) => (higher ? -1 : 1) * ((a.value ?? -Infinity) - (b.value ?? -Infinity)));
  const [marks, digits] = ticks(low, high, Math.max(1, Math.min(5, width / 50)));
  return html`<div class="dots" role="img" aria-label=${`${label}: ${order.map((row) => `${row.name} ${shown(row.value, decimals)}`).join(", ")}`}>
    <div class="names">${order.map((row) => html`<${Name} text=${row.name} />`)}</div>
    <div class="plot" ref=${place}><svg class="chart" width=${width} height=${height + 24}>
      ${marks.map((t) => html`<g class="grid"><line x1=${x(t)} x2=${x(t)} y1="0" y2=${height} />
        <text x=${Math.max(16, Math.min(width - 16, x(t)))} y=${height + 18} text-anchor="middle">${t.toFixed(digits)}</text></g>`)}
      ${order.map((row, at) => {
        const y = STEP * (at + 0.5);
        return html`<g>
          ${row.interval && html`<line class="interval tone-${row.tone % 8}" x1=${x(row.interval[0])} x2=${x(row.interval[1])} y1=${y} y2=${y} />`}
          ${Number.isFinite(row.value) && systemMark(row.tone, x(row.value), y)}</g>`;
      })}
    </svg></div>
    <div class="values">${order.map((row) => html`<span>${shown(row.value, decimals)}</span>`)}</div></div>`;
}

/** Each system's score by one metric. */
function DotChart({ report, metric }) {
  const rows = report.systems.map((name, i) => ({ name, value: metric.system[i], interval: metric.interval?.[i], tone: i }));
  return html`<${Dots} label=${metric.name} rows=${rows} decimals=${metric.decimals} higher=${metric.higher} />`;
}

/** Points of two metrics, one per segment; dots of at most 4,000 segments are drawn. */
function Scatter({ xs, ys, xName, yName, onPick }) {
  const [place, width] = useWidth(520);
  const height = Math.min(440, Math.max(300, 0.75 * width)), left = 64, bottom = 46;
  const [x0, x1] = extent(xs), [y0, y1] = extent(ys);
  const x = (v) => left + ((v - x0) / (x1 - x0)) * (width - left - 12);
  const y = (v) => height - bottom - ((v - y0) / (y1 - y0)) * (height - bottom - 12);
  const step = Math.max(1, Math.ceil(xs.length / 4000));
  const dots = [];
  for (let i = 0; i < xs.length; i += step) {
    if (Number.isFinite(xs[i]) && Number.isFinite(ys[i])) dots.push(i);
  }
  const [xt, xd] = ticks(x0, x1, Math.min(5, width / 60)), [yt, yd] = ticks(y0, y1);
  return html`<div class="plot scatter" ref=${place}><svg class="chart" width=${width} height=${height} role="img"
      aria-label=${`${yName} against ${xName}, ${dots.length} segments`}>
    ${xt.map((t) => html`<g class="grid"><line x1=${x(t)} x2=${x(t)} y1="12" y2=${height - bottom} />
      <text x=${x(t)} y=${height - bottom + 18} text-anchor="middle">${t.toFixed(xd)}</text></g>`)}
    ${yt.map((t) => html`<g class="grid"><line x1=${left} x2=${width - 12} y1=${y(t)} y2=${y(t)} />
      <text x=${left - 6} y=${y(t) + 4} text-anchor="end">${t.toFixed(yd)}</text></g>`)}
    <text class="name" x=${(left + width) / 2} y=${height - 4} text-anchor="middle">${xName}</text>
    <text class="name" transform=${`translate(14 ${height / 2}) rotate(-90)`} text-anchor="middle">${yName}</text>
    ${dots.map((i) => html`<circle class="dot" cx=${x(xs[i])} cy=${y(ys[i])} r="2.5"
      onClick=${() => onPick(i)}><title>segment ${i + 1}</title></circle>`)}
  </svg></div>`;
}

/** Scores of systems by bucket: a group of dots with intervals for each bucket. */
function BucketChart({ report, metric, groups }) {
  const cells = groups.flatMap((g) => g.scores[metric.name] || []);
  const [low, high] = extent(cells.flat().map((v) => v ?? NaN));
  const longest = Math.min(18, Math.max(...groups.map((g) => g.label.length)));
  const room = Math.max(14 * report.systems.length + 18, 8.5 * longest + 10);
  const width = 64 + Math.max(room * groups.length, 300), height = 270;
  const y = (v) => height - 46 - ((v - low) / (high - low)) * (height - 60);
  const [marks, digits] = ticks(low, high);
  return html`<${Wide} label=${`${metric.name} by bucket`}><svg class="chart" width=${width} height=${height} role="img" aria-label=${`${metric.name} by bucket`}>
    ${marks.map((t) => html`<g class="grid"><line x1="58" x2=${width} y1=${y(t)} y2=${y(t)} />
      <text x="52" y=${y(t) + 4} text-anchor="end">${t.toFixed(digits)}</text></g>`)}
    ${groups.map((group, g) => {
      const from = 64 + room * g;
      return html`<g><text class="name" x=${from + room / 2} y=${height - 24} text-anchor="middle">
          ${group.label.length > 18 ? `${group.label.slice(0, 17)}…` : group.label}<title>${group.label}</title></text>
        <text class="value" x=${from + room / 2} y=${height - 8} text-anchor="middle">n = ${group.count}</text>
        ${(group.scores[metric.name] || []).map(([value, below, above], i) => {
          const x = from + 16 + 14 * i;
          return value !== null && html`<g><title>${`${report.systems[i]}: ${shown(value, metric.decimals)}`}</title>
            ${typeof below === "number" && html`<line class="interval tone-${i % 8}" x1=${x} x2=${x} y1=${y(below)} y2=${y(above)} />`}
            ${systemMark(i, x, y(value), 4)}</g>`;
        })}</g>`;
    })}
  </svg><//>`;
}

/** Which mark is whose. */
function Legend({ report }) {
  return html`<ul class="legend">${report.systems.map((name, i) => html`<li>
    <svg width="16" height="16" aria-hidden="true">${systemMark(i, 8, 8)}</svg><${Name} text=${name} /></li>`)}</ul>`;
}
