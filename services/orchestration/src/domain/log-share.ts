/** How many logs one process reads or sends at a time (docs/interface/limits.md#logs). */
const most = { ofAll: 64, ofOneCaller: 16 } as const;

/** Returns why this caller gets no further log, given the callers of the present ones. Undefined if it gets it. */
export function refusalOfReader(present: readonly string[], reader: string): string | undefined {
  if (present.length >= most.ofAll) return `${most.ofAll} logs are read already; retry later`;
  const own = present.filter((each) => each === reader).length;
  return own < most.ofOneCaller ? undefined : `the caller reads ${most.ofOneCaller} logs already; end one of them`;
}
