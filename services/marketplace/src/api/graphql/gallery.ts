import type { GalleryApp } from "@appserver/contracts/graphql/types";
import type { Call } from "@appserver/kernel";
import { readGallery } from "../../use-cases/gallery/read-gallery.ts";
import { tryApp } from "../../use-cases/gallery/try-app.ts";
import { type AppNode, appNode, type GraphqlDeps } from "./app-node.ts";
import { type Named, result } from "./command-result.ts";
import * as present from "./present.ts";

type GalleryNode = Omit<GalleryApp, "app"> & { readonly app: AppNode | null };

/** Returns the resolver of the query of the apps that can be tried. */
export function galleryQueries({ context }: GraphqlDeps) {
  return {
    gallery: async (_: unknown, __: unknown, call: Call): Promise<readonly GalleryNode[]> =>
      (await readGallery(context, call)).map((offer) => ({
        ...present.galleryApp(offer),
        app: offer.app ? appNode(context, offer.app) : null,
      })),
  };
}

/** Returns the resolver of the command that tries one. */
export function galleryMutations({ context }: GraphqlDeps) {
  return {
    tryApp: async (_: unknown, request: Named, call: Call) => result(context, await tryApp(context, request, call)),
  };
}
