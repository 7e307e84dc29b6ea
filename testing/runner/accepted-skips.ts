import { findGo } from "../../tools/services/go-program.ts";

/** A reason for which a test may be skipped even where everything must run (CI=true). */
interface AcceptedSkip {
  readonly reason: RegExp;
  /** Returns whether the component is really unavailable on this machine. */
  readonly here: boolean;
}

const isRoot = process.getuid?.() === 0;

const accepted: readonly AcceptedSkip[] = [
  // The corpora are published by others and are not part of the repository.
  { reason: /^corpora absent/, here: true },
  // Contract tests that do not apply to one driver of the family.
  { reason: /^this driver has no /, here: true },
  // Installing and running the servers of these tests needs root.
  { reason: /^needs root$/, here: !isRoot },
  // Root in a container may lack the permission.
  { reason: /^needs the right to mount$/, here: true },
  { reason: /\bnot root\b/, here: !isRoot },
  // OpenFGA and Kratos are built from source.
  { reason: /^no Go toolchain\b/, here: findGo() === undefined },
  // Packages of a registry that may be unreachable.
  { reason: /^python packages: /, here: true },
  { reason: /^needs \/proc$/, here: process.platform !== "linux" },
];

/** Returns whether a test may be skipped for `reason` on this machine even where every test must run. */
export function isAcceptedSkip(reason: string): boolean {
  return accepted.some((skip) => skip.here && skip.reason.test(reason));
}
