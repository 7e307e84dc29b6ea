/** The header of a page that another one follows. */
export const linkHeader = { Link: { description: 'the address of the next page, rel="next"', isRequired: false } } as const;

/** Returns the value of `Link` (RFC 8288) for the page after the cursor. `target`: path and query of this page. */
export function nextLink(target: string, cursor: string): string {
  const [path = "", query = ""] = target.split("?", 2);
  const parameters = new URLSearchParams(query);
  parameters.set("after", cursor);
  return `<${path}?${parameters.toString()}>; rel="next"`;
}
