/** Every problem of a file, each with its place: `platform.yaml:12:7: apps[0].state must …`. */
export class PlatformFileError extends Error {
  override readonly name = "PlatformFileError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}
