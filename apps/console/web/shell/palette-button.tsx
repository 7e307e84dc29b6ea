import { UnstyledButton } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { type ComponentType, useState } from "react";
import { i18n } from "../i18n.ts";
import { SearchIcon } from "../parts/icons.tsx";
import { notifyFailure } from "../parts/notices.tsx";
import type { AdminPage } from "./palette-entries.ts";

interface ButtonProps {
  readonly pages: readonly AdminPage[];
}

interface PaletteProps extends ButtonProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Loads the palette. Rejects if its script is missing. */
async function load(): Promise<ComponentType<PaletteProps>> {
  const loaded = (await import("./palette.tsx")) as { readonly Palette: ComponentType<PaletteProps> } | undefined;
  if (!loaded) throw new Error(i18n.t("The console may have been updated. Load the page again; save what you typed first."));
  return loaded.Palette;
}

/** Opens the command palette, as Ctrl+K and ⌘K do. It is loaded at its first use. */
export function PaletteButton({ pages }: ButtonProps) {
  const [opened, setOpened] = useState(false);
  const [Palette, setPalette] = useState<ComponentType<PaletteProps>>();
  const open = (): void => {
    setOpened(true);
    if (!Palette)
      load().then((loaded) => setPalette(() => loaded), notifyFailure(i18n.t("The command palette could not be loaded")));
  };
  // Also while a field has the focus.
  useHotkeys([["mod+K", open]], []);
  return (
    <>
      <UnstyledButton className="search-button" onClick={open} aria-keyshortcuts="Control+K Meta+K">
        <SearchIcon />
        <span className="search-button-text">{i18n.t("Search or jump to…")}</span>
        <kbd aria-hidden>{i18n.t("Ctrl K")}</kbd>
      </UnstyledButton>
      {Palette && <Palette pages={pages} opened={opened} onClose={() => setOpened(false)} />}
    </>
  );
}
