import { Button, CloseButton, Group, Popover, Stack, Text, TextInput } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { Link, useLocation } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useViewer } from "../api/viewer.ts";
import { i18n } from "../i18n.ts";
import { maxViews, type View, valuesOf, viewsOf, withView } from "./views.ts";

/** Filters of this page under names, which this browser keeps for the user. Without a filter and without views there is nothing to show. */
export function SavedViews() {
  const { pathname, search } = useLocation();
  const { subject } = useViewer();
  const [views, setViews] = useLocalStorage<readonly View[]>({
    key: `views/${subject ?? ""}${pathname}`,
    defaultValue: [],
    getInitialValueInEffect: false,
    deserialize: (stored) => viewsOf(stored ?? null),
  });
  const [isOpen, setOpen] = useState(false);
  const present = valuesOf(search);
  const isFiltered = Object.keys(present).length > 0;
  if (!isFiltered && views.length === 0) return null;
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-start" trapFocus returnFocus>
      <Popover.Target>
        <Button variant="default" onClick={() => setOpen(!isOpen)}>
          {views.length === 0 ? i18n.t("Save view") : i18n.t("Views ({count})", { count: views.length })}
        </Button>
      </Popover.Target>
      <Popover.Dropdown w={320}>
        <Stack gap="sm">
          {views.length > 0 && (
            <ViewList
              views={views}
              onOpen={() => setOpen(false)}
              onRemove={(name) => setViews(views.filter((view) => view.name !== name))}
            />
          )}
          {isFiltered ? (
            <SaveForm
              isFull={views.length >= maxViews}
              onSave={(name) => setViews(withView(views, { name, search: present }))}
            />
          ) : (
            <Text size="sm" c="dimmed">
              {i18n.t("Set a filter to save it as a view.")}
            </Text>
          )}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

interface ListProps {
  readonly views: readonly View[];
  readonly onOpen: () => void;
  readonly onRemove: (name: string) => void;
}

function ViewList({ views, onOpen, onRemove }: ListProps) {
  return (
    <ul className="views" aria-label={i18n.t("Saved views")}>
      {views.map(({ name, search }) => (
        <li key={name}>
          <Link to="." search={search as never} onClick={onOpen} className="wrap">
            {name}
          </Link>
          <CloseButton size="sm" aria-label={i18n.t("Remove view {name}", { name })} onClick={() => onRemove(name)} />
        </li>
      ))}
    </ul>
  );
}

/** A name for the present filter. */
function SaveForm({ isFull, onSave }: { readonly isFull: boolean; readonly onSave: (name: string) => void }) {
  const [name, setName] = useState("");
  if (isFull)
    return (
      <Text size="sm" c="dimmed">
        {i18n.t("A page has at most {maxViews} views. Remove one to save another.", { maxViews })}
      </Text>
    );
  const save = (event: FormEvent): void => {
    event.preventDefault();
    onSave(name);
    setName("");
  };
  return (
    <form onSubmit={save}>
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <TextInput
          label={i18n.t("Name of the present filter")}
          maxLength={60}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          flex={1}
          data-autofocus
        />
        <Button type="submit" disabled={name.trim() === ""}>
          {i18n.t("Save")}
        </Button>
      </Group>
    </form>
  );
}
