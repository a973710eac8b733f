// All segments: a table that draws only the rows in sight, so that ten thousand scroll smoothly.

/** Height of a row in pixels, by the lines that most segments take; rows are cut to it, and open in full. */
function rowHeight(report) {
  const sizes = report.system_texts[0].slice(0, 500).map((t) => t.length).sort((a, b) => a - b);
  const usual = sizes[Math.floor(sizes.length * 0.75)] || 0;
  return 44 + 20 * Math.max(2, Math.min(4, Math.ceil(usual / 48)));
}

/** Which segments pass the filters, in the order asked for. */
function chosen(report, view) {
  const metric = segmentMetric(report, view);
  const [a, b] = pair(report, view);
  const docs = report.set.documents;
  const document = docs && docs.find((d) => d.id === view.doc);
  const needle = (view.text || "").toLocaleLowerCase();
  const least = Number(view.min || 0), most = Number(view.max || Infinity);
  const low = view.low ? Number(view.low) : -Infinity, high = view.high ? Number(view.high) : Infinity;
  const phenomenon = view.about && report.phenomena[view.about];
  const only = phenomenon && new Set(phenomenon);
  const found = [];
  const [from, to] = document ? [document.start, document.stop] : [0, report.set.segments];
  for (let i = from; i < to; i++) {
    if (only && !only.has(i)) continue;
    const size = report.lengths[i];
    if (size < least || size > most) continue;
    if (metric) {
      const ours = metric.segment[a][i], theirs = metric.segment[b][i];
      if (ours < low || ours > high) continue;
      const gain = (metric.higher ? 1 : -1) * (ours - theirs);
      if (view.better === "a" && !(gain > 0)) continue;
      if (view.better === "b" && !(gain < 0)) continue;
    }
    if (needle && !texts(report, i).some((t) => t.toLocaleLowerCase().includes(needle))) continue;
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
  const values = new Float64Array(rows.length);
  rows.forEach((i, n) => (values[n] = Number.isNaN(key(i)) ? Infinity : key(i)));
  const places = rows.map((_, n) => n).sort((m, n) => values[m] - values[n] || m - n);
  return places.map((n) => rows[n]);
}

function texts(report, i) {
  return [
    ...(report.source ? [report.source[i]] : []),
    ...report.reference_texts.map((lines) => lines[i]),
    ...report.system_texts.map((lines) => lines[i]),
  ];
}

function segmentMetric(report, view) {
  const able = report.metrics.filter((m) => m.segment);
  return able.find((m) => m.name === view.metric) || able[0];
}

function pair(report, view) {
  const at = (name, other) => {
    const i = report.systems.indexOf(name);
    return i < 0 ? Math.min(other, report.systems.length - 1) : i;
  };
  return [at(view.a, 0), at(view.b, 1)];
}

function Segments({ report, view, change }) {
  const rows = useMemo(() => chosen(report, view),
    [view.metric, view.a, view.b, view.sort, view.doc, view.text, view.min, view.max, view.low, view.high, view.better, view.about]);
  const metric = segmentMetric(report, view);
  const [a, b] = pair(report, view);
  const open = view.open ? Number(view.open) - 1 : null;
  return html`<section aria-labelledby="segments-title">
    <h2 id="segments-title">Segments</h2>
    <${Filters} report=${report} view=${view} change=${change} metric=${metric} a=${a} b=${b} />
    <p role="status" class="facts">${rows.length.toLocaleString("en")} of ${report.set.segments.toLocaleString("en")} segments${" "}
      <button type="button" onClick=${() => download("segments.tsv", "text/tab-separated-values", tsv(report, rows))}>
        Save these as TSV</button></p>
    <${Rows} report=${report} rows=${rows} metric=${metric} a=${a} b=${b} open=${open}
      onOpen=${(i) => change({ open: i === null ? null : i + 1 }, true)} />
    ${open !== null && open < report.set.segments && html`<${Opened} report=${report} at=${open} view=${view} change=${change} />`}
  </section>`;
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
    ${several && metric && html`<${Select} label="show" value=${view.better || ""} onChange=${set("better")}
      options=${[["", "all"], ["a", "only where A is better"], ["b", "only where B is better"]]} />`}
    ${report.set.documents && html`<${Select} label="document" value=${view.doc || ""} onChange=${set("doc")}
      options=${[["", "all"], ...report.set.documents.map((d) => [d.id, d.id])]} />`}
    ${phenomena.length > 0 && html`<${Select} label="phenomenon" value=${view.about || ""} onChange=${set("about")}
      options=${[["", "any"], ...phenomena.map((p) => [p, `${p} (${report.phenomena[p].length})`])]} />`}
    <${Field} label="text" type="search" value=${view.text} onChange=${set("text")} placeholder="any text" />
    <${Field} label="words from" type="number" min="0" value=${view.min} onChange=${set("min")} />
    <${Field} label="to" type="number" min="0" value=${view.max} onChange=${set("max")} />
    ${metric && html`<${Field} label="A's score from" type="number" step="any" value=${view.low} onChange=${set("low")} />
      <${Field} label="to" type="number" step="any" value=${view.high} onChange=${set("high")} />`}
  </div>`;
}

/** The rows in sight, and empty room above and below for all others. */
function Rows({ report, rows, metric, a, b, open, onOpen }) {
  const box = useRef(null);
  const ROW = useMemo(() => rowHeight(report), []);
  const [range, setRange] = useState([0, 20]);
  const [active, setActive] = useState(0);
  const look = useCallback(() => {
    const first = Math.floor(box.current.scrollTop / ROW);
    const count = Math.ceil(box.current.clientHeight / ROW) + 1;
    setRange([Math.max(0, first - 4), first + count + 4]);
  }, []);
  useEffect(() => {
    box.current.scrollTop = 0;
    setActive(0);
    look();
  }, [rows]);
  useEffect(() => {
    addEventListener("resize", look);
    return () => removeEventListener("resize", look);
  }, []);
  const move = (event) => {
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 5, PageUp: -5, Home: -rows.length, End: rows.length };
    if (event.key === "Enter" && event.target === event.currentTarget) return onOpen(rows[active]);
    if (!(event.key in steps)) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(rows.length - 1, active + steps[event.key]));
    setActive(next);
    const top = next * ROW, view = box.current;
    if (top < view.scrollTop) view.scrollTop = top;
    else if (top + ROW > view.scrollTop + view.clientHeight) view.scrollTop = top + ROW - view.clientHeight;
  };
  const [from, to] = [range[0], Math.min(range[1], rows.length)];
  const shownSystems = a === b ? [a] : [a, b];
  return html`<div class="rows" ref=${box} onScroll=${look} onKeyDown=${move} tabindex="0" role="listbox"
      aria-label="segments; arrow keys move, Enter opens" aria-activedescendant=${`row-${rows[active]}`}>
    <div style=${{ height: `${rows.length * ROW}px` }} class="sheet">
      ${rows.slice(from, to).map((i, n) => html`<div key=${i} id=${`row-${i}`} role="option"
          class=${`row ${open === i ? "open" : ""} ${rows[active] === i ? "active" : ""}`} aria-selected=${open === i}
          style=${{ top: `${(from + n) * ROW}px`, height: `${ROW}px` }} onClick=${() => onOpen(i)}>
        <div class="number">${i + 1}</div>
        <div class="cell reference" lang=${report.set.target_lang} dir="auto"><b>${report.references[0] ?? "source"}</b>
          <p>${report.reference_texts.length ? report.reference_texts[0][i] : report.source?.[i]}</p></div>
        ${shownSystems.map((s) => html`<div class="cell" lang=${report.set.target_lang} dir="auto">
          <b>${report.systems[s]} ${metric && html`<span class="score">${shown(metric.segment[s][i], metric.decimals)}</span>`}</b>
          <p><${Differing} text=${report.system_texts[s][i]} other=${report.reference_texts[0]?.[i]} lang=${report.set.target_lang} /></p></div>`)}
      </div>`)}
    </div></div>`;
}

function tsv(report, rows) {
  const able = report.metrics.filter((m) => m.segment);
  const clean = (text) => String(text).replace(/[\t\r\n]+/g, " ");
  const head = ["segment", "document", "system", ...able.map((m) => m.name), "translation", ...report.references.map((r) => `reference ${r}`)];
  if (report.source) head.push("source");
  const lines = [head];
  for (const i of rows) {
    const document = report.set.documents?.find((d) => d.start <= i && i < d.stop)?.id ?? "";
    report.systems.forEach((name, s) => {
      const line = [i + 1, document, name, ...able.map((m) => shown(m.segment[s][i], 6)), report.system_texts[s][i],
        ...report.reference_texts.map((t) => t[i])];
      if (report.source) line.push(report.source[i]);
      lines.push(line);
    });
  }
  return `${lines.map((line) => line.map(clean).join("\t")).join("\n")}\n`;
}
