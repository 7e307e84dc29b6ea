/** The run of a pipeline that registered a release. */
export interface ShownSource {
  readonly repository: string;
  readonly commit?: string | null | undefined;
  readonly ref?: string | null | undefined;
  readonly runUrl?: string | null | undefined;
}

/** Returns "acme/notes 0123456789ab refs/heads/main" and the address of the run. */
export function sourceText(source: ShownSource | null | undefined, between = "\n"): string | undefined {
  if (source == null) return undefined;
  const { repository, commit, ref, runUrl } = source;
  const what = [repository, commit?.slice(0, 12), ref].filter(Boolean).join(" ");
  return [what, runUrl].filter(Boolean).join(between);
}
