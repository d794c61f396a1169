/** Elements, made and changed without markup in texts: names come from elsewhere, and the page's policy forbids it besides. */

type Child = Node | string;

interface Properties {
  readonly class?: string;
  readonly [attribute: string]: string | undefined;
}

export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Properties = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) if (value !== undefined) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** An element of index.html. */
export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`index.html has no #${id}`);
  return element;
}

/** Leaves what is there alone, so that nothing is read out twice. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Children by key: those that stay are the same elements, so that focus and what is open stay too. */
export function keyed<Item>(
  parent: Element,
  items: readonly Item[],
  how: {
    readonly key: (item: Item) => string;
    readonly make: (item: Item) => Element;
    readonly update?: (element: Element, item: Item) => void;
  },
): void {
  const known = new Map([...parent.children].map((child) => [child.getAttribute("data-key") ?? "", child]));
  let next = parent.firstElementChild;
  for (const item of items) {
    const key = how.key(item);
    let element = known.get(key);
    if (element === undefined) {
      element = how.make(item);
      element.setAttribute("data-key", key);
    }
    known.delete(key);
    how.update?.(element, item);
    if (element === next) next = element.nextElementSibling;
    else parent.insertBefore(element, next);
  }
  for (const gone of known.values()) gone.remove();
}
