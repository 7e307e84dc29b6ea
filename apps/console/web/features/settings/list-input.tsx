import { ActionIcon, Button, Group, Input, MultiSelect, Select, Stack, Text, TextInput } from "@mantine/core";
import { i18n } from "../../i18n.ts";
import { CloseIcon } from "../../parts/icons.tsx";
import { controlOf } from "./definition.ts";
import { type Draft, type Item, newItem } from "./draft.ts";
import type { InputProps } from "./input-props.ts";

type ItemsDraft = Extract<Draft, { kind: "items" }>;

/** A list of texts, numbers, or true and false, in their order. */
export function ListInput(props: InputProps<ItemsDraft>) {
  const { definition, draft, isReadOnly, error, onChange, onCheck } = props;
  const { key, type, choices, placeholder } = definition;
  const { items } = draft;
  const set = (changed: readonly Item[]): void => onChange({ kind: "items", items: changed });
  if (controlOf(definition) === "choices") {
    const texts = items.map(({ text }) => text);
    return (
      <MultiSelect
        aria-label={key}
        data={[...new Set([...choices, ...texts])]}
        value={[...new Set(texts)]}
        onChange={(values) => set(values.map((text) => newItem("", text)))}
        searchable
        disabled={isReadOnly}
        error={error}
        {...(placeholder === undefined ? {} : { placeholder })}
      />
    );
  }
  const change = (id: number, text: string): void => set(items.map((item) => (item.id === id ? { ...item, text } : item)));
  return (
    <Rows {...props} what="element" onAdd={() => set([...items, newItem("", type === "BOOL" ? "true" : "")])} onItems={set}>
      {(item, index) =>
        type === "BOOL" ? (
          <Select
            flex={1}
            aria-label={i18n.t("{key}, element {number}", { key, number: index + 1 })}
            data={["true", "false"]}
            allowDeselect={false}
            value={item.text}
            disabled={isReadOnly}
            onChange={(value) => change(item.id, value ?? "true")}
          />
        ) : (
          <TextInput
            flex={1}
            aria-label={i18n.t("{key}, element {number}", { key, number: index + 1 })}
            value={item.text}
            disabled={isReadOnly}
            error={error !== undefined}
            {...(placeholder === undefined ? {} : { placeholder })}
            inputMode={type === "STRING" ? "text" : "decimal"}
            onBlur={onCheck}
            onChange={(event) => change(item.id, event.currentTarget.value)}
          />
        )
      }
    </Rows>
  );
}

/** A list of keys, each with a value of any type. */
export function PairsInput(props: InputProps<ItemsDraft>) {
  const { definition, draft, isReadOnly, error, onChange, onCheck } = props;
  const { items } = draft;
  const set = (changed: readonly Item[]): void => onChange({ kind: "items", items: changed });
  const change = (id: number, part: Partial<Item>): void =>
    set(items.map((item) => (item.id === id ? { ...item, ...part } : item)));
  return (
    <>
      <Text size="xs" c="dimmed">
        {i18n.t("Values are JSON: texts in quotes.")}
      </Text>
      <Rows {...props} what="pair" onAdd={() => set([...items, newItem("", '""')])} onItems={set}>
        {(item, index) => (
          <Group gap="xs" flex={1} wrap="wrap">
            <TextInput
              flex={1}
              miw={120}
              aria-label={i18n.t("{key}, key {number}", { key: definition.key, number: index + 1 })}
              placeholder="key"
              value={item.key}
              disabled={isReadOnly}
              onBlur={onCheck}
              onChange={(event) => change(item.id, { key: event.currentTarget.value })}
            />
            <TextInput
              flex={2}
              miw={120}
              aria-label={i18n.t("{key}, value {number}", { key: definition.key, number: index + 1 })}
              placeholder="value"
              value={item.text}
              disabled={isReadOnly}
              error={error !== undefined}
              spellCheck={false}
              classNames={{ input: "mono" }}
              onBlur={onCheck}
              onChange={(event) => change(item.id, { text: event.currentTarget.value })}
            />
          </Group>
        )}
      </Rows>
    </>
  );
}

interface RowsProps extends InputProps<ItemsDraft> {
  readonly what: string;
  readonly onAdd: () => void;
  readonly onItems: (items: readonly Item[]) => void;
  readonly children: (item: Item, index: number) => React.ReactNode;
}

function Rows({ definition: { key }, draft: { items }, isReadOnly, error, what, onAdd, onItems, children }: RowsProps) {
  return (
    <Stack gap="xs" align="stretch" role="group" aria-label={key}>
      {items.length === 0 && (
        <Text size="sm" c="dimmed">
          {i18n.t("The list is empty.")}
        </Text>
      )}
      {items.map((item, index) => (
        <Group key={item.id} gap="xs" wrap="nowrap">
          {children(item, index)}
          {!isReadOnly && (
            <ActionIcon
              variant="default"
              size="lg"
              aria-label={i18n.t("Remove {what} {number} of {key}", { what, number: index + 1, key })}
              onClick={() => onItems(items.filter(({ id }) => id !== item.id))}
            >
              <CloseIcon />
            </ActionIcon>
          )}
        </Group>
      ))}
      {error && <Input.Error role="alert">{error}</Input.Error>}
      {!isReadOnly && (
        <Button size="compact-sm" variant="default" onClick={onAdd} style={{ alignSelf: "flex-start" }}>
          {what === "element" ? i18n.t("Add an element") : i18n.t("Add a pair")}
        </Button>
      )}
    </Stack>
  );
}
