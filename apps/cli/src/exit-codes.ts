/** Exit codes of appctl. */
export const exitCodes = { ok: 0, refused: 1, usage: 2, unreachable: 3, approval: 4, differs: 5 } as const;
