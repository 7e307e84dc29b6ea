import { createHash } from "node:crypto";
import { zipSync } from "fflate";

/** What a wheel says about the package in it: the fields of `pyproject.toml`. */
export interface PythonProject {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  /** `>=3.11` */
  readonly requiresPython: string;
  /** `["grpcio>=1.85.1"]` */
  readonly dependencies: readonly string[];
}

export interface Wheel {
  /** `appserver_sdk-0.1.0-py3-none-any.whl` */
  readonly file: string;
  readonly bytes: Uint8Array;
}

/** Without a time, equal sources give equal bytes. This is the earliest one that a zip can have, in each time zone. */
const noTime = new Date(1980, 0, 1);

/**
 * Packs a package in plain Python as a wheel (https://packaging.python.org/en/latest/specifications/binary-distribution-format/).
 * `modules` and `extras` are files by path; extras are next to the metadata. Equal input gives equal bytes.
 */
export function packWheel(
  project: PythonProject,
  readme: string,
  modules: Readonly<Record<string, Uint8Array>>,
  extras: Readonly<Record<string, Uint8Array>> = {},
): Wheel {
  const stem = `${project.name.replaceAll(/[-_.]+/g, "_").toLowerCase()}-${project.version}`;
  const metadata: Readonly<Record<string, Uint8Array>> = {
    ...extras,
    METADATA: Buffer.from(metadataOf(project, readme)),
    WHEEL: Buffer.from("Wheel-Version: 1.0\nGenerator: appserver\nRoot-Is-Purelib: true\nTag: py3-none-any\n"),
  };
  // The metadata is last, so that installers can replace it without a copy of the rest.
  const files = [
    ...sorted(modules),
    ...sorted(metadata).map(([path, bytes]): [string, Uint8Array] => [`${stem}.dist-info/${path}`, bytes]),
  ];
  const record = `${stem}.dist-info/RECORD`;
  const lines = [...files.map(([path, bytes]) => `${path},sha256=${digestOf(bytes)},${bytes.length}`), `${record},,`];
  const entries = Object.fromEntries([...files, [record, Buffer.from(`${lines.join("\n")}\n`)] as const]);
  return { file: `${stem}-py3-none-any.whl`, bytes: zipSync(entries, { level: 9, mtime: noTime }) };
}

function metadataOf(
  { name, version, description, license, requiresPython, dependencies }: PythonProject,
  readme: string,
): string {
  return [
    "Metadata-Version: 2.1",
    `Name: ${name}`,
    `Version: ${version}`,
    `Summary: ${description}`,
    `License: ${license}`,
    `Requires-Python: ${requiresPython}`,
    ...dependencies.map((each) => `Requires-Dist: ${each}`),
    "Description-Content-Type: text/markdown",
    "",
    readme,
  ].join("\n");
}

function sorted(files: Readonly<Record<string, Uint8Array>>): readonly [string, Uint8Array][] {
  return Object.entries(files).sort(([left], [right]) => (left < right ? -1 : 1));
}

function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("base64url");
}
