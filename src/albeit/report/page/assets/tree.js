// A discourse tree as a picture.

/** A discourse tree: nucleus by a thick line, what the other tree has in one color and mark. */
function Tree({ tree, text }) {
  if (!tree.root) return html`<p class="muted">${text.name || text.side}: (empty)</p>`;
  const WIDE = 150, STEP = 66, LINE = 15, MOST = 22;
  const shapes = [];
  let leaves = 0, bottom = 0;
  const draw = (node, depth) => {
    const y = 34 + depth * STEP;
    if (node.children.length === 0) {
      const x = (leaves++ + 0.5) * WIDE;
      const words = text.tokens.slice(node.start, node.stop).map(([a, b]) => text.text.slice(a, b));
      const lines = [];
      for (const word of words) {
        const last = lines[lines.length - 1];
        if (last !== undefined && last.length + word.length < MOST) lines[lines.length - 1] = `${last} ${word}`;
        else lines.push(word);
      }
      shapes.push(html`<text class=${node.shared ? "shared" : "lost"} x=${x} y=${y} text-anchor="middle">
        ${lines.map((line, n) => html`<tspan x=${x} dy=${n ? LINE : 0}>${n === 0 && !node.shared ? "≠ " : ""}${line}</tspan>`)}</text>`);
      bottom = Math.max(bottom, y + lines.length * LINE);
      return [x, y];
    }
    const ends = node.children.map((child) => draw(child, depth + 1));
    const x = ends.reduce((sum, [cx]) => sum + cx, 0) / ends.length;
    node.children.forEach((child, n) => shapes.push(html`<line class=${child.role === "N" ? "nucleus" : "satellite"}
      x1=${x} y1=${y + 6} x2=${ends[n][0]} y2=${ends[n][1] - 15} />`));
    shapes.push(html`<text class=${`relation ${node.shared ? "shared" : "lost"}`} x=${x} y=${y} text-anchor="middle">
      ${node.shared ? "" : "≠ "}${node.relation}</text>`);
    return [x, y];
  };
  draw(tree.root, 0);
  const width = Math.max(1, leaves) * WIDE;
  return html`<figure><figcaption class="muted">${text.name || text.side}</figcaption><${Wide} label="the tree">
    <svg class="tree" width=${width} height=${bottom + 8} viewBox=${`0 0 ${width} ${bottom + 8}`} role="img"
      aria-label=${`discourse tree of ${text.name || text.side}: ${text.text}`}>${shapes}</svg><//></figure>`;
}
