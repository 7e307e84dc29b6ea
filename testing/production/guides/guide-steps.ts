/** The commands of a page, with the output that the page says they print. */
export interface GuideStep {
  /** The heading above it. */
  readonly section: string;
  readonly commands: string;
  readonly output: string | undefined;
}

interface Block {
  readonly section: string;
  readonly kind: string;
  readonly text: string;
}

/** Returns the `sh` blocks of a page. A `text` block is the output of the one before it. */
export function stepsOf(page: string): readonly GuideStep[] {
  const blocks = blocksOf(page);
  return blocks.flatMap(({ section, kind, text }, index) => {
    const next = blocks[index + 1];
    return kind === "sh" ? [{ section, commands: text, output: next?.kind === "text" ? next.text : undefined }] : [];
  });
}

function blocksOf(page: string): readonly Block[] {
  let section = "";
  return [...page.matchAll(/^(?:## (?<heading>[^\n]+)|```(?<kind>\w*)\n(?<text>.*?)^```)$/gms)].flatMap(({ groups }) => {
    const { heading, kind = "", text = "" } = groups ?? {};
    if (heading === undefined) return [{ section, kind, text }];
    section = heading;
    return [];
  });
}

/** Replaces what differs in each run. */
export function masked(text: string): string {
  return text
    .trim()
    .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "<id>")
    .replaceAll(/\b[0-9A-HJKMNP-TV-Z]{26}\b/g, "<id>");
}
