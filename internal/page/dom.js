/**
 * Clones the content of a template.
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
 * Sets the text only if it differs, so that a user's selection is kept.
 *
 * @param {Element} element @param {string} text Always treated as text, never as markup.
 */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
