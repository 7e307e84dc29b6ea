import { TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";
import { i18n } from "../i18n.ts";

const typingMs = 80;

interface SearchProps {
  readonly value: string | undefined;
  readonly placeholder: string;
  readonly label?: string;
  /** Whether only readers of the screen get the label, where it stands next to a title. */
  readonly isLabelHidden?: boolean;
  /** Receives the text without spaces around it, and undefined for an empty search. It is that of the moment of typing. */
  readonly onSearch: (text: string | undefined) => void;
}

/** A search that is applied when the user stops typing. It follows changes of the value from elsewhere, for example a link. */
export function SearchInput({ value, placeholder, label = i18n.t("Search"), isLabelHidden = false, onSearch }: SearchProps) {
  const [text, setText] = useState(value ?? "");
  const applied = useRef(value);
  const search = useDebouncedCallback((typed: string, apply: SearchProps["onSearch"]) => {
    applied.current = typed.trim() || undefined;
    apply(applied.current);
  }, typingMs);
  useEffect(() => {
    if (value === applied.current) return;
    applied.current = value;
    setText(value ?? "");
  }, [value]);
  return (
    <TextInput
      {...(isLabelHidden ? { "aria-label": label } : { label })}
      type="search"
      placeholder={placeholder}
      maw={360}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        search(event.currentTarget.value, onSearch);
      }}
    />
  );
}
