import { findGo } from "../../tools/services/go-program.ts";

/** A reason for which a test may be skipped even where everything must run (CI=true). */
interface AcceptedSkip {
  readonly reason: RegExp;
  /** Whether the component truly cannot be had on this machine. */
  readonly here: boolean;
}

const isRoot = process.getuid?.() === 0;

const accepted: readonly AcceptedSkip[] = [
  // The corpora are published by others and are not part of the repository.
  { reason: /^corpora absent/, here: true },
  // Contract tests that have no meaning for one driver of the family.
  { reason: /^this driver has no /, here: true },
  // Contract tests about one of the two variants; the other ran them.
  { reason: /^about (development|production) only$/, here: true },
  // Installing and running what these need takes root.
  { reason: /^needs root$/, here: !isRoot },
  // Root in a container may not be allowed to.
  { reason: /^needs the right to mount$/, here: true },
  { reason: /\bnot root\b/, here: !isRoot },
  // OpenFGA and Kratos are published as source.
  { reason: /^no Go toolchain\b/, here: findGo() === undefined },
  { reason: /^needs \/proc$/, here: process.platform !== "linux" },
];

/** Whether a test that is skipped for `reason` is no failure on this machine when everything must run. */
export function isAcceptedSkip(reason: string): boolean {
  return accepted.some((skip) => skip.here && skip.reason.test(reason));
}
