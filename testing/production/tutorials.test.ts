import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { nextNotes, RunningPlatform } from "@appserver/testing/kit";

const root = join(import.meta.dirname, "../..");
const folder = join(root, "docs/tutorials");
const pages = await readdir(folder);

/** The commands of a page, each with the output that follows them. */
interface Step {
  readonly commands: string;
  readonly output: string | undefined;
}

function stepsOf(page: string): readonly Step[] {
  const blocks = [...page.matchAll(/^```(sh|text)\n(.*?)^```$/gms)].map(([, kind, text = ""]) => ({ kind, text }));
  return blocks.flatMap(({ kind, text }, index) => {
    const next = blocks[index + 1];
    return kind === "sh" ? [{ commands: text, output: next?.kind === "text" ? next.text : undefined }] : [];
  });
}

/** Replaces what differs in each run. */
function masked(text: string): string {
  return text
    .trim()
    .replaceAll(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
    .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "<id>")
    .replaceAll(/\b([0-9a-f]{64}|[0-9a-f]{12})\b/g, "<digest>");
}

/** Started or made by the test itself: a build in place would disturb other tests that read the same folder. */
const preparations = /^npm (start|run .*build).*$/gm;

for (const page of pages) {
  describe(`the tutorial ${page}`, () => {
    let platform: RunningPlatform;
    let scratch = "";
    before(async () => {
      scratch = await mkdtemp(join(tmpdir(), "tutorial-"));
      platform = await RunningPlatform.start();
      await nextNotes();
    });
    after(async () => {
      await platform?.stop();
      await rm(scratch, { recursive: true });
    });

    test("each command prints what the page says", async () => {
      const steps = stepsOf(await readFile(join(folder, page), "utf8"));
      assert.ok(steps.length > 3, `${steps.length} steps`);
      for (const { commands, output } of steps) {
        const script = commands
          .replaceAll(preparations, "")
          .replaceAll("http://127.0.0.1:8080", platform.httpUrl)
          .replaceAll("cookies.txt", join(scratch, "cookies.txt"))
          .replaceAll("../hello", join(scratch, "hello"));
        const env = { ...process.env, APPSERVER_GRPC_URL: platform.grpcUrl, APPSERVER_HTTP_URL: platform.httpUrl };
        const { stdout } = await promisify(execFile)("bash", ["-e", "-c", script], { cwd: root, env });
        const printed = stdout.replaceAll(platform.httpUrl, "http://127.0.0.1:8080");
        if (output !== undefined) assert.equal(masked(printed), masked(output), commands);
      }
    });
  });
}
