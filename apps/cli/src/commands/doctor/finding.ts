/** Something that was looked at. */
export interface Finding {
  /** In a few words: `the platform responds`. Of a problem: what is wrong. */
  readonly what: string;
  /** What to do about it, if it is a problem. */
  readonly wayOut?: string;
}

export function fine(what: string): Finding {
  return { what };
}

export function problem(what: string, wayOut: string): Finding {
  return { what, wayOut };
}
