import { compare } from './model/compare.ts';
import { Code } from './page/code.ts';
import { Controls } from './page/controls.ts';
import { element } from './page/dom.ts';
import { explanation } from './page/explanation.ts';
import { Results } from './page/results.ts';
import { style } from './page/style.ts';
import type { Settings } from './settings.ts';
import { SharedState } from './shared-state.ts';
import { LatestOnly } from './slices.ts';

/**
 * Adds the playground to an element, in a shadow root, which keeps the styles of the page out. The settings are in the
 * fragment of the page's URL. Returns a function that removes it.
 */
export function mount(parent: HTMLElement): () => void {
  const computations = new LatestOnly();
  const results = new Results();
  const code = new Code();
  const compute = (settings: Settings) => {
    code.show(settings);
    results.isBusy = true;
    computations.run(
      () => compare(settings),
      (figures, isLatest) => {
        results.show(settings, figures);
        results.isBusy = !isLatest;
      },
    );
  };
  const state = new SharedState((settings) => {
    controls.show(settings);
    compute(settings);
  });
  const controls = new Controls(state.read(), {
    input: compute,
    change: (settings, name) => state.save(settings, name),
  });
  const host = element('div');
  const title = element('p', { class: 'title' }, 'Calls answered in time, per second');
  const live = element('div', {}, results.summary, controls.field, title, results.plots);
  const content = [live, results.table, code.field, explanation()];
  const playground = element('div', { class: 'playground' }, ...content);
  host.attachShadow({ mode: 'open' }).append(element('style', {}, style), playground);
  parent.append(host);
  compute(state.read());
  return () => {
    computations.stop();
    state.close();
    host.remove();
  };
}
