import { Counter } from './counter.jsx';

export const dynamic = 'force-dynamic';

export default function Page() {
  return (
    <main>
      <h1>Hello from the page</h1>
      <Counter />
    </main>
  );
}
