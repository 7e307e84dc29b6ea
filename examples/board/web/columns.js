/** In the order of work. The backend knows the same names. */
export const columns = [
  { name: "todo", title: "To do" },
  { name: "doing", title: "In progress" },
  { name: "done", title: "Done" },
];
