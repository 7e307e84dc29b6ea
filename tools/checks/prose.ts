// Comments, pages and messages are plain English: the words and turns below have to be read twice, and each has a plain one
// (CONTRIBUTING).
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { finish, root } from "./run-tool.ts";

const checked = /\.(?:ts|tsx|mjs|py|md|proto|graphql|ya?ml|sh)$/;
const generated = /(?:^|\/)generated\//;
/** A line of a comment, or the comment after code. */
const comment = /^\s*(?:\/\/|\/?\*|#)|\s\/\/ |"""/;
/** Each with what to write instead. */
const markers: readonly (readonly [RegExp, string])[] = [
  [/\bthat (?:is|are) none\b/i, '"invalid", or the condition'],
  [/\b(?:whoever|whosoever|nobody|somebody|everybody)\b/i, "the actor: the caller, a worker, no subscriber"],
  [/\b(?:told|tells?|telling) of\b/i, "notifies, reports, logs"],
  [/\b(?:is|are) away\b/i, "is unreachable"],
  [/\bmay everything\b/i, "has every permission"],
  [/\b(?:anew|alike|for company)\b/i, "again, both, in a batch"],
  [/\b(?:whose deed|deeds?)\b/i, "the user who acted, the action"],
  [/\bmend(?:s|ed|ing)?\b/i, "fix, repair, resolve"],
  [/\b(?:goes|go|went|going) on\b/i, "continues"],
  [/\bfor (?:ever|so long)\b/i, "forever, without end, for this time"],
  [/\b(?:meanwhile|beside|thereby|hitherto|thence|whence|lest)\b/i, "until then, next to, so that"],
  [/\b(?:hears?|heard) of\b|\bunheard\b/i, "is notified of, missed"],
  [/\bunder way\b/i, "running, current, in progress"],
  [/\b(?:is|are) gone\b/i, "was removed, has closed, disconnected"],
  [/\b(?:does|do|did) not answer\b|\bno answer\b/i, "does not respond, no response"],
  [/\b(?:is|are|was|were|be) told\b/i, "is notified, receives"],
  [/\b(?:is|are|was|were|be) taken for\b/i, "is considered, is used as"],
  [/\bof (?:ours|no use)\b|\bnow and then\b/i, "the platform's, unusable, at an interval"],
  // The words that follow the name `a` are left out.
  [/\ba (?!one\b|once\b|eu|(?:is|as|on|in|int|are|order|opened|acknowledged)\b)[aeio]\w+/i, "an"],
  [/\ban (?!h(?:our|onest|tt|tml))[bcdfghjkpqtvwyz]\w+/, "a"],
];
/** Names, not words: the account of that name on Linux. */
const quoted = /`[^`]*`/g;
/** A literal that begins and ends on the line. Those of several words are messages, log lines and test names. */
const literal = /(["'`])(?:(?!\1)[^\\]|\\.)*\1/g;
const interpolated = /\$\{[^}]*\}/g;

const listed = spawnSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
});
if (listed.status !== 0) throw new Error(`git ls-files failed: ${listed.stderr}`);
const self = "tools/checks/prose.ts";
const files = [...new Set(listed.stdout.split("\0"))].filter(
  (file) => file !== self && checked.test(file) && !generated.test(file) && existsSync(join(root, file)),
);

function messagesIn(line: string): string {
  const literals = (line.match(literal) ?? []).map((text) => text.replace(interpolated, ""));
  return literals.filter((text) => /\S\s+\S/.test(text)).join(" ");
}

function problemsOf(file: string): string[] {
  const isPage = file.endsWith(".md");
  return readFileSync(join(root, file), "utf8")
    .split("\n")
    .flatMap((line, index) => {
      const prose = isPage || comment.test(line) ? line.replace(quoted, "") : file.endsWith(".ts") ? messagesIn(line) : "";
      const found = markers.filter(([marker]) => marker.test(prose));
      return found.map(([marker, instead]) => `${file}:${index + 1}: ${marker.exec(prose)?.[0]}: write ${instead}`);
    });
}

const problems = files.flatMap(problemsOf);
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.stdout.write(`${files.length} files, ${problems.length} places that are not plain English\n`);
finish(problems.length === 0);
