import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { folderCommands } from "@appserver/sdk";
import { readBuildScript } from "./build-folder.ts";
import { type PageBuildMessage, pageBuildProgram } from "./page-build-program.ts";

export interface PageBuildOptions {
  /** Whether what vite prints is shown, on standard error. */
  readonly isVerbose: boolean;
  /** Called after each build but a successful first one, with the milliseconds that it took. */
  readonly onBuilt: (tookMs: number) => void;
  /** Called with each problem of the sources, as soon as it is found. The last page that could be built stays. */
  readonly onProblem: (problem: Error) => void;
}

/** What a running build depends on, but does not watch. */
const configurations = ["package.json", "vite.config.js", "vite.config.mjs", "vite.config.ts", "vite.config.mts"];
/** With other arguments or programs, the script decides by itself what it does. */
const plainVite = /^vite build(\s+--logLevel\s+\w+)?$/;

/** Returns whether vite alone builds the page of a folder, and is installed. */
export function isBuiltByVite(folder: string): boolean {
  const script = folderCommands(folder).build ? undefined : readBuildScript(folder);
  return script !== undefined && plainVite.test(script.trim()) && existsSync(join(folder, "node_modules/vite/package.json"));
}

/**
 * Vite in the folder of an app, which runs on and builds the page at each change of its sources. It is the vite of the folder, in a process
 * of its own.
 */
export class PageBuild {
  readonly #folder: string;
  readonly #options: PageBuildOptions;
  #process: ChildProcess | undefined;
  #configuration = "";
  /** The end of the first build, and later whether there is a page. */
  #page: Promise<void> = Promise.resolve();
  #isRunning = false;

  constructor(folder: string, options: PageBuildOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  /** Resolves when there is a page: at once, unless vite has to start. Rejects with the problem that prevents the first one. */
  async ready(): Promise<void> {
    const configuration = configurations.map((name) => changedAt(join(this.#folder, name))).join(" ");
    if (!this.#process || configuration !== this.#configuration) {
      this.stop();
      this.#configuration = configuration;
      this.#start();
    }
    await this.#page;
  }

  /** Whether a build runs, so that what is in its folder may be incomplete. {@link PageBuildOptions.onBuilt} is called at its end. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  stop(): void {
    this.#process?.kill();
    this.#process = undefined;
  }

  #start(): void {
    const shown = this.#options.isVerbose ? "inherit" : "pipe";
    const child = spawn(process.execPath, ["--input-type=module", "--eval", pageBuildProgram], {
      cwd: this.#folder,
      env: { ...process.env, APPCTL_PAGE_LOG_LEVEL: this.#options.isVerbose ? "info" : "silent", NO_COLOR: "1" },
      stdio: ["ignore", shown === "pipe" ? "ignore" : process.stderr, shown === "pipe" ? "pipe" : process.stderr, "ipc"],
    });
    this.#process = child;
    let printed = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (printed = (printed + text).slice(-maxPrinted)));
    this.#page = new Promise((resolve, reject) => {
      let state: "first" | "failed" | "built" = "first";
      child.on("message", (message: PageBuildMessage) => {
        this.#isRunning = message.kind === "started";
        if (message.kind === "started") return;
        const earlier = state;
        if (message.kind === "built") {
          state = "built";
          resolve();
          if (earlier === "failed") this.#page = Promise.resolve();
          if (earlier !== "first") this.#options.onBuilt(message.tookMs);
          return;
        }
        const problem = new Error(problemText(this.#folder, message));
        if (state === "first") state = "failed";
        if (earlier === "first") reject(problem);
        else this.#options.onProblem(problem);
      });
      const ended = (cause: string): void => {
        if (this.#process === child) {
          this.#process = undefined;
          this.#isRunning = false;
        }
        reject(new Error(`vite ended in ${this.#folder}${cause}`));
      };
      child.once("error", ({ message }) => ended(`: ${message}`));
      child.once("close", () => ended(printed.trim() === "" ? "" : `:\n${printed.trim()}`));
    });
    // Reported by `ready`.
    this.#page.catch(() => {});
  }
}

const maxPrinted = 4_096;

function changedAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Returns the place, what is wrong, and the line with a caret: `web/page.tsx:12:7: Unexpected token`. */
function problemText(folder: string, { message, file, line, column }: Extract<PageBuildMessage, { kind: "problem" }>): string {
  if (file === undefined || line === undefined) return message;
  const place = `${relative(folder, file)}:${line}:${(column ?? 0) + 1}: ${message}`;
  const text = existsSync(file) ? readFileSync(file, "utf8").split("\n")[line - 1] : undefined;
  if (text === undefined || text.length > 200) return place;
  return `${place}\n  ${text.replaceAll("\t", " ")}\n  ${" ".repeat(column ?? 0)}^`;
}
