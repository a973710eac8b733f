// Correlation of metrics with each other and with human judgments.

function pearson(xs, ys) {
  let n = 0, sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0;
  for (let i = 0; i < xs.length; i++) {
    const x = xs[i], y = ys[i];
    if (!Number.isFinite(x) || !Number.isFinite(y)) continue;
    n++, (sx += x), (sy += y), (sxx += x * x), (syy += y * y), (sxy += x * y);
  }
  const below = Math.sqrt((sxx - (sx * sx) / n) * (syy - (sy * sy) / n));
  return below > 0 ? (sxy - (sx * sy) / n) / below : NaN;
}

function Metrics({ report, view, change }) {
  const able = report.metrics.filter((m) => m.segment);
  const system = Math.max(0, report.systems.indexOf(view.a));
  const x = able.find((m) => m.name === view.x) || able[0];
  const y = able.find((m) => m.name === view.y) || able[1] || able[0];
  const table = useMemo(() => able.map((m) => able.map((n) =>
    (m.higher === n.higher ? 1 : -1) * pearson(m.segment[system], n.segment[system]))), [system]);
  const options = able.map((m) => [m.name, m.name]);
  return html`<section aria-labelledby="metrics-title"><h2 id="metrics-title">Metrics</h2>
    <div class="cards">${report.agreement.map((t) => html`<${Agreement} found=${t} />`)}</div>
    <div class="filters">
      <${Select} label="system" value=${report.systems[system]} onChange=${(v) => change({ a: v })} options=${report.systems.map((s) => [s, s])} />
      <${Select} label="horizontal axis" value=${x.name} onChange=${(v) => change({ x: v })} options=${options} />
      <${Select} label="vertical axis" value=${y.name} onChange=${(v) => change({ y: v })} options=${options} /></div>
    <${Scatter} xs=${x.segment[system]} ys=${y.segment[system]} xName=${x.name} yName=${y.name}
      onPick=${(i) => change({ tab: "segments", open: i + 1, metric: y.name, a: report.systems[system] }, true)} />
    <h3>Metric correlation</h3>
    <${Wide} label="metric correlation"><table class="scores"><caption>Pearson's r over the segments of ${report.systems[system]}; signs are reversed where lower is better</caption>
      <thead><tr><td></td>${able.map((m) => html`<th scope="col">${m.name}</th>`)}</tr></thead>
      <tbody>${able.map((m, i) => html`<tr><th scope="row">${m.name}</th>
        ${table[i].map((r) => html`<td class=${r > 0.9 ? "best" : ""}>${shown(r, 2)}</td>`)}</tr>`)}</tbody></table><//>
  </section>`;
}

/** Correlation with human judgments: as a chart, and as the table that 'albeit metaeval' prints. */
function Agreement({ found }) {
  const rows = found.chart.rows.map((row, tone) => ({ ...row, tone }));
  return html`<figure class="card"><figcaption>${found.caption} <span class="muted">${found.chart.measure}</span></figcaption>
    <${Dots} label=${found.caption} rows=${rows} decimals=${3} />
    <details><summary>As a table</summary><${PlainTable} table=${found} /></details></figure>`;
}

/** A table that was made by the program, as it is. */
function PlainTable({ table }) {
  return html`<${Wide} label=${table.caption}><table class="scores"><caption>${table.caption}</caption>
    <thead><tr>${table.columns.map((c) => html`<th scope="col">${c}</th>`)}</tr></thead>
    <tbody>${table.rows.map((row) => html`<tr>${row.map((cell, i) => (i ? html`<td>${cell}</td>` : html`<th scope="row">${cell}</th>`))}</tr>`)}</tbody>
    </table><//>${table.notes.map((n) => html`<p class="muted">${n}</p>`)}`;
}
