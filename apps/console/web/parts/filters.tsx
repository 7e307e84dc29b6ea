import { Button, Group } from "@mantine/core";
import { useLocation } from "@tanstack/react-router";
import { type ReactNode, useId, useState } from "react";
import { i18n } from "../i18n.ts";
import { SavedViews } from "./saved-views.tsx";
import { valuesOf } from "./views.ts";

interface FiltersProps {
  /** The fields of the filter. */
  readonly children: ReactNode;
  /** What stands at the end and is no filter: it is never folded. */
  readonly aside?: ReactNode;
}

/** The filters of a list and the saved views. On a phone the fields are behind a button that says how many are set (console.css). */
export function Filters({ children, aside }: FiltersProps) {
  const { search } = useLocation();
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const count = Object.keys(valuesOf(search)).length;
  return (
    <Group mb="md" align="flex-end" className="filters">
      <Button
        variant="default"
        className="filters-button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        {count === 0 ? i18n.t("Filters") : i18n.t("Filters ({count})", { count })}
      </Button>
      <div id={id} className="filters-fields" data-open={isOpen || undefined}>
        {children}
      </div>
      <SavedViews />
      {aside}
    </Group>
  );
}
