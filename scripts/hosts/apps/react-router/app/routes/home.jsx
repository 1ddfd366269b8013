import { useState } from 'react';

export default function Home() {
  const [count, setCount] = useState(0);
  return (
    <main>
      <h1>Hello from the page</h1>
      <button type="button" onClick={() => setCount(count + 1)}>
        {count}
      </button>
    </main>
  );
}
