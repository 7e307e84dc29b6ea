import { Autocomplete } from "@mantine/core";
import { useDebouncedCallback, useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { appsQuery } from "../api/queries.ts";
import { useViewer } from "../api/viewer.ts";
import { i18n } from "../i18n.ts";

const typingMs = 250;

interface FilterFieldProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string | undefined;
  readonly suggestions: readonly string[];
  readonly onChange: (value: string | undefined) => void;
  readonly onType?: (text: string) => void;
}

/** A text of a filter. Calls `onChange` shortly after the last key, and shows a value that was changed elsewhere, as by a link. */
export function FilterField({ label, placeholder, value = "", suggestions, onChange, onType }: FilterFieldProps) {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  useEffect(() => {
    if (value === sent.current) return;
    sent.current = value;
    setText(value);
  }, [value]);
  const send = useDebouncedCallback((typed: string) => {
    sent.current = typed;
    onChange(typed || undefined);
  }, typingMs);
  return (
    <Autocomplete
      label={label}
      placeholder={placeholder}
      data={[...suggestions]}
      limit={20}
      className="filter"
      value={text}
      onChange={(typed) => {
        setText(typed);
        onType?.(typed);
        send(typed.trim());
      }}
    />
  );
}

/** Returns names of apps that contain the text. A viewer who may not see apps gets none. */
export function useAppNames(text: string): readonly string[] {
  const { permissions } = useViewer();
  const [search] = useDebouncedValue(text.trim(), typingMs);
  const { data } = useQuery({
    ...appsQuery({ search: search || undefined }, null),
    enabled: permissions.includes("app:view"),
    placeholderData: keepPreviousData,
  });
  return data?.edges.map(({ node }) => node.name) ?? [];
}

interface AppFilterProps {
  readonly label?: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

/** The filter of an app, with suggestions. */
export function AppFilter({ label = i18n.t("App"), value, onChange }: AppFilterProps) {
  const [text, setText] = useState(value ?? "");
  return (
    <FilterField
      label={label}
      placeholder="com.example.app"
      value={value}
      suggestions={useAppNames(text)}
      onChange={onChange}
      onType={setText}
    />
  );
}
