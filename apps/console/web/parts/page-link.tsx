import { Anchor, Button, type ButtonProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { ComponentPropsWithRef } from "react";

/** A link to a page of the console. Path, parameters and search are checked against the routes. */
export const PageLink = createLink(Anchor<"a">);

function AnchorButton(props: ButtonProps & Omit<ComponentPropsWithRef<"a">, keyof ButtonProps>) {
  return <Button component="a" {...props} />;
}

/** A {@link PageLink} among buttons, which looks like one. */
export const PageButton = createLink(AnchorButton);
