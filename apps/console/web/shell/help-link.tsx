import { ActionIcon } from "@mantine/core";
import { useLocation } from "@tanstack/react-router";
import { i18n } from "../i18n.ts";
import { HelpIcon } from "../parts/icons.tsx";
import { helpOf } from "./help-pages.ts";

/** Leads to the documentation of the page, in a tab of its own. */
export function HelpLink() {
  const { pathname } = useLocation();
  const address = helpOf(pathname);
  if (address === undefined) return null;
  return (
    <ActionIcon
      component="a"
      href={address}
      target="_blank"
      variant="default"
      size="lg"
      aria-label={i18n.t("Documentation of this page")}
      title={i18n.t("Documentation of this page")}
      visibleFrom="xs"
    >
      <HelpIcon />
    </ActionIcon>
  );
}
