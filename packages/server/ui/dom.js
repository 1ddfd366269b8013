/**
 * A copy of what a template has.
 *
 * @param {string} id
 */
export function copy(id) {
  const template = /** @type {HTMLTemplateElement} */ (document.getElementById(id));
  const fragment = /** @type {DocumentFragment} */ (template.content.cloneNode(true));
  return /** @type {HTMLElement} */ (fragment.firstElementChild);
}

/** @param {ParentNode} parent @param {string} selector */
export function part(parent, selector) {
  return /** @type {HTMLElement} */ (parent.querySelector(selector));
}

/**
 * Touches nothing that is right already: somebody may be copying it.
 *
 * @param {Element} element @param {string} text Whatever is in it, it is text.
 */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
