import { type Flag, flagsOf } from "@appserver/options";
import { devSections } from "../config/dev-schema.ts";
import { refuseWords, UsageError } from "../usage-error.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Throws {@link UsageError} for words after `appserver dev`, and for flags that `npm start` took because no `--` precedes them. npm
 * passes `npm start --containers docker` on as the word `docker`, and `--containers` as the variable `npm_config_containers`.
 */
export function refuseDevWords(words: readonly string[], environment: Environment): void {
  if (environment["npm_lifecycle_event"] !== "start") {
    refuseWords(words, "appserver dev [options]");
    return;
  }
  const taken = Object.entries(flagsOf(devSections)).flatMap(([name, flag]) => {
    const value = environment[`npm_config_${name.replaceAll("-", "_")}`];
    return value === undefined ? [] : [new TakenFlag(name, flag, value)];
  });
  const separate = taken.filter(({ isSeparate }) => isSeparate).length;
  const only = separate === 1 && words.length === 1 ? words[0] : undefined;
  const form = `npm start -- ${taken.length === 0 ? "[options]" : taken.map((flag) => flag.text(only)).join(" ")}`;
  refuseWords(words, form);
  const [first] = taken;
  if (first) throw new UsageError(`npm took ${first.name} for itself; expected: ${form}`);
}

/** A flag of `appserver dev` that npm has read as an option of its own. */
class TakenFlag {
  readonly name: string;
  /** Whether its value is a word of the command line. */
  readonly isSeparate: boolean;
  readonly #value: string | undefined;

  constructor(name: string, { type }: Flag, value: string) {
    const isText = type === "string";
    this.isSeparate = isText && value === "true";
    this.#value = isText && !this.isSeparate ? value : undefined;
    // npm writes `--no-examples` as an empty value.
    this.name = isText || value === "true" ? `--${name}` : `--no-${name}`;
  }

  /** `word`: the value of a separate flag, if it is known. */
  text(word: string | undefined): string {
    if (this.isSeparate) return `${this.name} ${word ?? "<value>"}`;
    return this.#value === undefined ? this.name : `${this.name}=${this.#value}`;
  }
}
