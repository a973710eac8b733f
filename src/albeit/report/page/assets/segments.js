// All segments: filtered, sorted, opened, saved.

/** Which segments pass the filters, in the order asked for. */
function chosen(report, view) {
  const metric = segmentMetric(report, view);
  const [a, b] = pair(report, view);
  const docs = report.set.documents;
  const document = docs && docs.find((d) => d.id === view.doc);
  const needle = (view.text || "").toLowerCase();
  const least = Number(view.min || 0), most = Number(view.max || Infinity);
  const low = view.low ? Number(view.low) : -Infinity, high = view.high ? Number(view.high) : Infinity;
  const phenomenon = view.about && report.phenomena[view.about];
  const only = phenomenon && new Set(phenomenon);
  const found = [];
  const [from, to] = document ? [document.start, document.stop] : [0, report.set.segments];
  for (let i = from; i < to; i++) {
    if (only && !only.has(i)) continue;
    if (report.lengths && (report.lengths[i] < least || report.lengths[i] > most)) continue;
    if (view.better === "explained" && !report.explanations[i]) continue;
    if (metric) {
      const ours = metric.segment[a][i], theirs = metric.segment[b][i];
      if (ours < low || ours > high) continue;
      const gain = (metric.higher ? 1 : -1) * (ours - theirs);
      if (view.better === "a" && !(gain > 0)) continue;
      if (view.better === "b" && !(gain < 0)) continue;
    }
    if (needle && !searched(report)[i].includes(needle)) continue;
    found.push(i);
  }
  return sorted(found, metric, a, b, view.sort || (metric && a !== b ? "apart" : "order"));
}

function sorted(rows, metric, a, b, order) {
  if (order === "order" || !metric) return rows;
  const ours = metric.segment[a], theirs = metric.segment[b];
  const way = metric.higher ? 1 : -1;
  const keys = {
    apart: (i) => -Math.abs(ours[i] - theirs[i]),
    "a-wins": (i) => -way * (ours[i] - theirs[i]),
    "b-wins": (i) => way * (ours[i] - theirs[i]),
    worst: (i) => way * ours[i],
    best: (i) => -way * ours[i],
  };
  const key = keys[order] || keys.apart;
  const values = new Float64Array(ours.length);
  for (const i of rows) {
    const value = key(i);
    values[i] = Number.isNaN(value) ? Infinity : value;
  }
  return rows.sort((i, j) => values[i] - values[j] || i - j);
}

/** All texts of each segment in lower case, made when somebody first searches. */
function searched(report) {
  report.searched ??= report.lines.map((row) => row.join("\n").toLowerCase());
  return report.searched;
}

function segmentMetric(report, view) {
  const able = report.metrics.filter((m) => m.segment);
  return able.find((m) => m.name === view.metric) || able[0];
}

/** The two systems that are compared: those asked for, or else the best two. */
function pair(report, view) {
  const [best, next = best] = report.leaders;
  const at = (name, other) => (report.systems.includes(name) ? report.systems.indexOf(name) : other);
  const a = at(view.a, view.b === report.systems[best] ? next : best);
  return [a, at(view.b, a === next ? best : next)];
}

function Segments({ report, view, change }) {
  const rows = useMemo(() => chosen(report, view),
    [view.metric, view.a, view.b, view.sort, view.doc, view.text, view.min, view.max, view.low, view.high, view.better, view.about, report.later]);
  const metric = segmentMetric(report, view);
  const [a, b] = pair(report, view);
  const open = view.open ? Number(view.open) - 1 : null;
  return html`<section aria-labelledby="segments-title">
    <h2 id="segments-title">Segments</h2>
    <${Folded} label=${`Filters: ${active(view).length || "none"}${metric ? `; ${metric.name}` : ""}${a === b ? "" : `, ${report.systems[a]} and ${report.systems[b]}`}`}>
    <${Filters} report=${report} view=${view} change=${change} metric=${metric} a=${a} b=${b} /><//>
    <p role="status" class="facts">${rows.length.toLocaleString("en")} of ${report.set.segments.toLocaleString("en")} segments${" "}
      <button type="button" onClick=${() => download("segments.tsv", "text/tab-separated-values", tsv(report, rows))}>
        Save these as TSV</button></p>
    ${rows.length > 0 && report.lines && report.references.length > 0 && html`<p class="muted key"><mark class="own">Marked words</mark> differ from the reference${report.references.length > 1 ? ` ${report.references[0]}` : ""}; this isn't always an error.</p>`}
    ${rows.length === 0 && html`<p class="card">No segment matches these filters: ${active(view).join(", ")}.${" "}
      <button type="button" onClick=${() => change(Object.fromEntries(Object.keys(FILTERS).map((key) => [key, null])))}>Clear them</button></p>`}
    ${rows.length > 0 && html`<${Rows} key=${rows} report=${report} rows=${rows} metric=${metric} a=${a} b=${b} source=${report.source && report.references.length > 0 && view.with === "source"} open=${open}
      onOpen=${(i) => change({ open: i === null ? null : i + 1 }, true)} />`}
    ${open !== null && open < report.set.segments && html`<${Opened} report=${report} at=${open} rows=${rows} first=${[a, b]} view=${view} change=${change} />`}
  </section>`;
}

/** What hides segments, and what each is called. */
const FILTERS = { better: "show", doc: "document", about: "phenomenon", text: "text", min: "words from", max: "words to", low: "A's score from", high: "A's score to" };

function active(view) {
  return Object.keys(FILTERS).filter((key) => view[key]).map((key) => FILTERS[key]);
}

function Filters({ report, view, change, metric, a, b }) {
  const able = report.metrics.filter((m) => m.segment);
  const systems = report.systems.map((s) => [s, s]);
  const several = report.systems.length > 1;
  const [nameA, nameB] = [report.systems[a], report.systems[b]];
  const set = (key) => (value) => change({ [key]: value });
  const phenomena = Object.keys(report.phenomena);
  return html`<div class="filters">
    ${metric && html`<${Select} label="metric" value=${metric.name} onChange=${set("metric")} options=${able.map((m) => [m.name, m.name])} />`}
    ${several && html`<${Select} label="A" value=${nameA} onChange=${set("a")} options=${systems} />
      <${Select} label="B" value=${nameB} onChange=${set("b")} options=${systems} />`}
    ${metric && html`<${Select} label="sort by" value=${view.sort || (several ? "apart" : "order")} onChange=${set("sort")} options=${[
      ["order", "order in the set"],
      ...(several ? [["apart", "where A and B differ most"], ["a-wins", "A better than B"], ["b-wins", "B better than A"]] : []),
      ["worst", "lowest score of A"], ["best", "highest score of A"]]} />`}
    <${Select} label="show" value=${view.better || ""} onChange=${set("better")} options=${[["", "all"],
      ...(several && metric ? [["a", "where A is better"], ["b", "where B is better"]] : []),
      ...(report.later || Object.keys(report.explanations).length ? [["explained", "those explained"]] : [])]} />
    ${report.source && report.references.length > 0 && html`<${Select} label="compare with" value=${view.with || ""} onChange=${set("with")}
      options=${[["", "reference"], ["source", "source and reference"]]} />`}
    ${report.set.documents && html`<${Select} label="document" value=${view.doc || ""} onChange=${set("doc")}
      options=${[["", "all"], ...report.set.documents.map((d) => [d.id, d.id])]} />`}
    ${phenomena.length > 0 && html`<${Select} label="phenomenon" value=${view.about || ""} onChange=${set("about")}
      options=${[["", "any"], ...phenomena.map((p) => [p, `${p} (${report.phenomena[p].length})`])]} />`}
    ${report.lines && html`<${Field} label="text" type="search" value=${view.text} onChange=${set("text")} placeholder="any text" />
      <${Field} label="words from" type="number" min="0" value=${view.min} onChange=${set("min")} />
      <${Field} label="to" type="number" min="0" value=${view.max} onChange=${set("max")} />`}
    ${metric && html`<${Field} label="A's score from" type="number" step="any" value=${view.low} onChange=${set("low")} />
      <${Field} label="to" type="number" step="any" value=${view.high} onChange=${set("high")} />`}
  </div>`;
}

function tsv(report, rows) {
  const able = report.metrics.filter((m) => m.segment);
  const clean = (text) => String(text).replace(/[\t\r\n]+/g, " ");
  const head = ["segment", "document", "system", ...able.map((m) => m.name), ...(report.lines ? ["translation"] : []), ...report.references.map((r) => `reference ${r}`)];
  if (report.source) head.push("source");
  const lines = [head];
  for (const i of rows) {
    const document = report.set.documents?.find((d) => d.start <= i && i < d.stop)?.id ?? "";
    report.systems.forEach((name, s) => {
      const line = [i + 1, document, name, ...able.map((m) => shown(m.segment[s][i], 6)), ...(report.lines ? [report.system_texts[s][i]] : []),
        ...report.reference_texts.map((t) => t[i])];
      if (report.source) line.push(report.source[i]);
      lines.push(line);
    });
  }
  return `${lines.map((line) => line.map(clean).join("\t")).join("\n")}\n`;
}
