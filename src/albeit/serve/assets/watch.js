// A run whose report is not there yet: its progress, and the report as soon as it is done.

function Watch() {
  const [view, change] = useView();
  const [run, setRun] = useState(null);
  const [error, setError] = useState("");
  const id = location.pathname.split("/").at(-1);
  const look = useCallback(() => ask(`/api/runs/${id}`).then((found) => (found.state === "done" ? location.reload() : setRun(found)), (e) => setError(e.message)), []);
  useEffect(() => {
    look();
    const clock = setInterval(look, 1000);
    return () => clearInterval(clock);
  }, []);
  return html`<${Top} view=${view} change=${change}><a href="/">All runs</a><//>
    <main>${error ? html`<p role="alert" class="error">${error}</p>` : run && html`<h2>A run</h2><article class="card">
      <${RunCard} run=${run} after=${look} />${isUnderWay(run) && html`<p class="muted">The report opens here when it is done. You may leave this page and come back.</p>`}</article>`}</main>`;
}

show(Watch);
