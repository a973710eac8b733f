// Why a segment or document scored as it did: what the report holds of it, or what a server answers.

/** Explanations by metric: those held, or else asked of the server, once for every place. */
function useExplanation(report, held, query) {
  const [asked, setAsked] = useState({ query: null });
  useEffect(() => {
    if (held || !report.explain_at) return undefined;
    const stop = new AbortController();
    fetch(`${report.explain_at}?${query}`, { signal: stop.signal })
      .then(async (answer) => ({ ok: answer.ok, body: await answer.json() }))
      .then(({ ok, body }) => setAsked(ok ? { query, found: body } : { query, error: body.error }))
      .catch((error) => stop.signal.aborted || setAsked({ query, error: error.message }));
    return () => stop.abort();
  }, [query]);
  return asked.query === query ? asked : {};
}

/** A choice of metrics, and the views of the chosen one, of every system. `only` names the systems that are shown, in order (all, where it names none). */
function Why({ report, held, query, only = [], some, view, change }) {
  const answer = useExplanation(report, held, query);
  const found = held ?? answer.found;
  if (!found) return html`<p class="muted" role="status">${unexplained(report, answer.error, some)}</p>`;
  const names = Object.keys(found);
  if (names.length === 0) return html`<p class="muted">None of these metrics has explanations.</p>`;
  const metric = names.includes(view.why) ? view.why : names[0];
  const views = (only.length ? only : report.systems.map((_, s) => s)).map((s) => [s, asView(found[metric][s])]);
  return html`<h4>Explanation</h4>
    <div class="choices" role="group" aria-label="metric">${names.map((name) => html`<button type="button"
      aria-pressed=${name === metric} onClick=${() => change({ why: name })}>${name}</button>`)}</div>
    <${Key} views=${views.map(([, each]) => each)} />
    <div class="views">${views.map(([s, each]) => html`<section class="view" key=${`${metric} ${s} ${query}`}>
      <h5>${report.systems[s]}</h5><${View} view=${each} /></section>`)}</div>`;
}

function unexplained(report, error, some) {
  if (report.later) return "Unpacking explanations …";
  if (error) return `No explanation: ${error}`;
  if (report.explain_at) return "Loading the explanation …";
  return some
    ? "This report explains only the segments and documents on which systems differ most."
    : "This report has no explanations.";
}
