// One segment in full: every text, every score, and why each metric scored it so.

function Opened({ report, at, view, change }) {
  const place = useRef(null);
  useEffect(() => place.current?.scrollIntoView({ block: "nearest" }), [at]);
  const able = report.metrics.filter((m) => m.segment);
  const document = report.set.documents?.find((d) => d.start <= at && at < d.stop);
  const lang = report.set.target_lang;
  return html`<article class="opened card" ref=${place} aria-label=${`segment ${at + 1}`}>
    <header><h3>Segment ${at + 1}${document && html` <span class="muted">document${" "}
        <a href=${`#tab=documents&doc=${encodeURIComponent(document.id)}`}>${document.id}</a></span>`}</h3>
      <div><button type="button" disabled=${at === 0} onClick=${() => change({ open: at })}>Previous</button>
      <button type="button" disabled=${at + 1 >= report.set.segments} onClick=${() => change({ open: at + 2 })}>Next</button>
      <button type="button" onClick=${() => change({ open: null })}>Close</button></div></header>
    <dl class="texts">
      ${report.source && html`<dt>source</dt><dd lang=${report.set.source_lang} dir="auto">${report.source[at]}</dd>`}
      ${report.references.map((name, r) => html`<dt>reference ${name}</dt><dd lang=${lang} dir="auto">${report.reference_texts[r][at]}</dd>`)}
      ${report.systems.map((name, s) => html`<dt>${name}</dt><dd lang=${lang} dir="auto">
        <${Differing} text=${report.system_texts[s][at]} other=${report.reference_texts[0]?.[at]} lang=${lang} />
        <p class="muted">${able.map((m) => `${m.name} ${shown(m.segment[s][at], m.decimals)}`).join(" · ")}</p></dd>`)}
    </dl>
    <${Explanations} report=${report} at=${at} view=${view} change=${change} />
  </article>`;
}

/** What each metric says of its own score, where the report holds it or a server can tell. */
function Explanations({ report, at, view, change }) {
  const [found, setFound] = useState(null);
  useEffect(() => {
    setFound(report.explanations[at] ?? null);
    if (report.explanations[at] || !report.explain_at) return undefined;
    const stop = new AbortController();
    fetch(`${report.explain_at}?segment=${at + 1}`, { signal: stop.signal })
      .then((answer) => (answer.ok ? answer.json() : null))
      .then((views) => setFound(views))
      .catch(() => setFound(null));
    return () => stop.abort();
  }, [at]);
  if (!found) {
    return html`<p class="muted">${report.explain_at
      ? "Asking for the explanation …"
      : "The report explains the segments where systems differ most; this one is not among them."}</p>`;
  }
  const names = Object.keys(found);
  const metric = names.includes(view.why) ? view.why : names[0];
  return html`<h4>Why this score?</h4>
    <div class="choices" role="group" aria-label="metric">${names.map((name) => html`<button type="button"
      aria-pressed=${name === metric} onClick=${() => change({ why: name })}>${name}</button>`)}</div>
    <div class="views">${report.systems.map((name, s) => found[metric]?.[s] && html`<section class="view">
      <h5>${name}</h5><${View} view=${found[metric][s]} /></section>`)}</div>`;
}
