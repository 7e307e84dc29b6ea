/** Something wrong with the configuration. */
export interface Problem {
  /** What to change: a variable, a flag, or a key with its place in the file. */
  readonly name: string;
  /** As it was written, in quotes, or a mask; absent where nothing was given. */
  readonly given?: string;
  /** The whole rest of the sentence: "expected …", "missing; expected …". */
  readonly says: string;
}

/** Everything that is wrong with the configuration, at once: names, values (never of secrets) and expectations. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  /** Empty where the message is not about single settings. */
  readonly problems: readonly Problem[];

  constructor(message: string, problems: readonly Problem[] = []) {
    super(message);
    this.problems = problems;
  }

  /** One line for each problem. */
  static of(problems: readonly Problem[]): ConfigError {
    const lines = problems.map(({ name, given, says }) => {
      const shown = given === undefined ? "" : `${name.startsWith("--") ? " " : "="}${given}`;
      return `  ${name}${shown}: ${says}`;
    });
    return new ConfigError(`The configuration is not valid:\n${lines.join("\n")}`, problems);
  }
}
