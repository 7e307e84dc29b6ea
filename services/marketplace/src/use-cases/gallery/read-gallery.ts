import type { Call } from "@appserver/kernel";
import type { AppRecord } from "../../domain/app.ts";
import type { MarketplaceContext } from "../context.ts";
import { requireView } from "../read-apps.ts";
import type { GalleryApp } from "./gallery.ts";

/** An app of the gallery, and the app that is registered under its name. */
export interface OfferedApp extends GalleryApp {
  readonly app: AppRecord | undefined;
}

/** Returns the apps that can be tried, and what became of those that were. Needs `app:view`. */
export async function readGallery(context: MarketplaceContext, call: Call): Promise<readonly OfferedApp[]> {
  await requireView(context, call);
  const offers = (await context.gallery?.list()) ?? [];
  return Promise.all(offers.map(async (offer) => ({ ...offer, app: (await context.apps.current(offer.manifest.name))?.app })));
}
