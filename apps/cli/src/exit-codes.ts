/** Exit codes of appctl. */
export const exitCodes = { ok: 0, refused: 1, usage: 2, unreachable: 3, differs: 4 } as const;
