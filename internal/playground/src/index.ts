import { compare } from './model/compare.ts';
import { Code } from './page/code.ts';
import { Controls } from './page/controls.ts';
import { element } from './page/dom.ts';
import { explanation } from './page/explanation.ts';
import { Results } from './page/results.ts';
import { Scenario } from './page/scenario.ts';
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
  const scenario = new Scenario();
  const results = new Results();
  const compute = (settings: Settings) => {
    scenario.show(settings);
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
  const code = new Code(controls.limit.field);
  const host = element('div');
  const { links, description, lesson } = scenario;
  const share = element(
    'p',
    { class: 'share' },
    'To share your settings, copy the address of this page.',
  );
  // The summary stays visible while a slider moves.
  const live = element('div', {}, results.summary, controls.field, share);
  const shown = [links, description, results.cards, lesson, live];
  const content = [...shown, results.table, code.field, explanation()];
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
