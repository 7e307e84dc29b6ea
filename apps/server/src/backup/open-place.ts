import { statSync } from "node:fs";
import { basename, dirname, posix } from "node:path";
import type { SectionValues } from "@appserver/options";
import type { backupSection } from "@appserver/options/sections";
import { FolderPlace } from "./folder-place.ts";
import type { BackupPlace } from "./place.ts";

/** How S3 is reached. */
export type PlaceOptions = Pick<
  SectionValues<typeof backupSection>,
  "s3Endpoint" | "s3Region" | "s3AccessKeyId" | "s3SecretAccessKey"
>;

/** A place, and the name of one backup there. Undefined for a whole place. */
export interface OpenedPlace {
  readonly place: BackupPlace;
  readonly name: string | undefined;
}

/** Opens a file, a folder, `s3://<bucket>/<prefix>/`, or an object there, whose name ends with `.age`. */
export async function openPlace(address: string, options: PlaceOptions): Promise<OpenedPlace> {
  if (!address.startsWith("s3://")) {
    const isFolder = address.endsWith("/") || statSync(address, { throwIfNoEntry: false })?.isDirectory() === true;
    return isFolder
      ? { place: new FolderPlace(address), name: undefined }
      : { place: new FolderPlace(dirname(address)), name: basename(address) };
  }
  // Loaded on demand: the library is large.
  const { S3Place } = await import("./s3-place.ts");
  const { s3Endpoint: endpoint, s3Region: region, s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey } = options;
  const credentials = accessKeyId !== undefined && secretAccessKey !== undefined ? { accessKeyId, secretAccessKey } : undefined;
  const isObject = address.endsWith(".age");
  return {
    place: new S3Place(isObject ? `s3://${posix.dirname(address.slice("s3://".length))}` : address, {
      endpoint,
      region,
      credentials,
    }),
    name: isObject ? posix.basename(address) : undefined,
  };
}
