import { Table, VisuallyHidden } from "@mantine/core";
import type { CSSProperties, ReactNode } from "react";

interface ColumnSettings {
  readonly title: string;
  /** Of numbers, which end at the same place. */
  readonly isNumber?: boolean;
  /** The title is for screen readers only. */
  readonly isHidden?: boolean;
  readonly width?: string;
}

export type Column = string | ColumnSettings;

interface ListTableProps {
  readonly columns: readonly Column[];
  /** Of the table, in pixels. It scrolls in a narrower window. */
  readonly minWidth: number;
  /** Names the table, and lets it be scrolled by keyboard. For tables whose rows have no links. */
  readonly label?: string;
  /** Rows, each with a cell for each column. */
  readonly children: ReactNode;
}

/** A list with a title for each column. On a phone, each row is a card that has the titles before its values (console.css). */
export function ListTable({ columns, minWidth, label, children }: ListTableProps) {
  const settings = columns.map((column) => (typeof column === "string" ? { title: column } : column));
  const region = label === undefined ? {} : { role: "region", "aria-label": label, tabIndex: 0 };
  return (
    <Table.ScrollContainer minWidth={minWidth} type="native" className="list" {...region}>
      <Table verticalSpacing="xs" className="list-table" style={titlesOf(settings)}>
        <Table.Thead>
          <Table.Tr>
            {settings.map(({ title, isNumber, isHidden, width }) => (
              <Table.Th key={title} ta={isNumber ? "right" : undefined} w={width}>
                {isHidden ? <VisuallyHidden>{title}</VisuallyHidden> : title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** Returns the titles for the style sheet. */
function titlesOf(columns: readonly ColumnSettings[]): CSSProperties {
  const shown = columns.map(({ title, isHidden }, index) => [`--title-${index + 1}`, JSON.stringify(isHidden ? "" : title)]);
  return Object.fromEntries(shown) as CSSProperties;
}
