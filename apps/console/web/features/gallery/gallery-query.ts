import { queryOptions } from "@tanstack/react-query";
import { send } from "../../api/client.ts";
import { GalleryDocument, type GalleryQuery } from "../../generated/operations.ts";
import { translated } from "../hosting/translated.ts";

export type OfferedApp = GalleryQuery["gallery"][number];

/** The apps that the platform brings, in the language of the page. Needs `app:view`. */
export const galleryQuery = queryOptions({
  queryKey: ["gallery"],
  queryFn: async (): Promise<readonly OfferedApp[]> => (await send(GalleryDocument, {})).gallery.map((app) => translated(app)),
});
