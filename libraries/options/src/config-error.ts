/** One problem in the configuration. */
export interface ConfigProblem {
  /** What to change: a variable, a flag, or a key with its place in the file. */
  readonly name: string;
  /** The value as written, in quotes, or a mask. Absent if no value was given. */
  readonly given?: string;
  /** The rest of the sentence after the name: "expected …", "missing; expected …". */
  readonly message: string;
}

/** Lists all problems of the configuration at once: names, values (never of secrets) and expectations. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  /** Empty if the message is not about single options. */
  readonly problems: readonly ConfigProblem[];

  constructor(message: string, problems: readonly ConfigProblem[] = []) {
    super(message);
    this.problems = problems;
  }

  /** Creates an error whose message has one line for each problem. */
  static of(problems: readonly ConfigProblem[]): ConfigError {
    const lines = problems.map(({ name, given, message }) => {
      const shown = given === undefined ? "" : `${name.startsWith("--") ? " " : "="}${given}`;
      return `  ${name}${shown}: ${message}`;
    });
    return new ConfigError(`The configuration is not valid:\n${lines.join("\n")}`, problems);
  }
}
