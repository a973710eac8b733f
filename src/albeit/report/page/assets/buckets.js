// Scores by bucket: length, document, and what else the report has.

function Buckets({ report, view, change }) {
  const bucket = report.buckets.find((b) => b.by === view.by) || report.buckets[0];
  const able = report.metrics.filter((m) => bucket.groups.some((g) => g.scores[m.name]));
  const metric = able.find((m) => m.name === view.metric) || able[0];
  return html`<section aria-labelledby="buckets-title"><h2 id="buckets-title">Buckets</h2>
    <div class="filters">
      <${Select} label="by" value=${bucket.by} onChange=${(v) => change({ by: v })} options=${report.buckets.map((b) => [b.by, b.by])} />
      <${Select} label="metric" value=${metric.name} onChange=${(v) => change({ metric: v })} options=${able.map((m) => [m.name, m.name])} />
    </div>
    <${Legend} report=${report} />
    <${BucketChart} report=${report} metric=${metric} groups=${bucket.groups} />
    <${Wide} label="scores by bucket"><table class="scores"><thead><tr><th scope="col">${bucket.by}</th><th scope="col">segments</th>
      ${report.systems.map((s) => html`<th scope="col"><${Name} text=${s} /></th>`)}</tr></thead>
      <tbody>${bucket.groups.map((g) => html`<tr><th scope="row">${g.label}</th><td>${g.count}</td>
        ${(g.scores[metric.name] || []).map(([v, low, high]) => html`<td>${shown(v, metric.decimals)}
          ${typeof low === "number" && html`<small>[${shown(low, metric.decimals)}, ${shown(high, metric.decimals)}]</small>`}</td>`)}</tr>`)}
      </tbody></table><//>
    <p class="muted">${report.bucket_note}</p></section>`;
}
