type Child = Node | string;

/** Creates an element with attributes and children. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | number>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  return filled(document.createElement(tag), attributes, children);
}

/** The same for an element of an image. */
export function svg<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | number>>,
  ...children: readonly Child[]
): SVGElementTagNameMap[Tag] {
  return filled(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function filled<E extends Element>(
  created: E,
  attributes: Readonly<Record<string, string | number>>,
  children: readonly Child[],
): E {
  for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, `${value}`);
  created.append(...children);
  return created;
}
