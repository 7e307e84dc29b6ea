import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import type { SignedRelease } from "../../ports.ts";

/** An app that the platform brings. */
export interface GalleryApp {
  /** Without its assets. */
  readonly manifest: AppManifest;
  /** Why this platform cannot run it, as a sentence. */
  readonly obstacle: string | undefined;
}

/** The apps that the platform brings (docs/interface/graphql.md#gallery). */
export interface Gallery {
  /** Returns them by name. */
  list(): Promise<readonly GalleryApp[]>;
  /** Makes what an app of the list runs, and returns its manifest with the contents of its assets, signed by a key of this platform. */
  release(name: string): Promise<SignedRelease>;
}
