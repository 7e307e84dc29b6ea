import { Button, Group, Text } from "@mantine/core";
import { type ComponentType, type LazyExoticComponent, lazy } from "react";
import { i18n } from "../i18n.ts";

/** What an import resolves with: undefined if the script is missing (shell/missing-script.ts). */
type Loaded<Props> = { readonly default: ComponentType<Props> } | undefined;

/** Returns a part of a page with a script of its own. If the script is missing, the rest of the page stays, with what was typed. */
export function lazyPart<Props extends object>(load: () => Promise<Loaded<Props>>): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => (await load().catch(() => undefined)) ?? { default: NotLoaded });
}

function NotLoaded() {
  return (
    <Group role="alert">
      <Text size="sm">{i18n.t("This part could not be loaded. The console may have been updated.")}</Text>
      <Button size="xs" variant="default" onClick={() => location.reload()}>
        {i18n.t("Load the page again")}
      </Button>
    </Group>
  );
}
