import { Anchor } from "@mantine/core";
import { createLink } from "@tanstack/react-router";

/** A link to a page of the console. Path, parameters and search are checked against the routes. */
export const PageLink = createLink(Anchor<"a">);
