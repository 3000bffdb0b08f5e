# SPDX-License-Identifier: LGPL-2.1-or-later
"""What Carmichael's function changes in RSA: carmichael.py ROUNDS FILE...

Each FILE has the output of 'openssl rsa -text' for one key. For each key this program checks that
the private exponent d of OpenSSL is e^-1 mod lcm(P-1, Q-1), which is Carmichael's function, and
compares d with the exponent of Euler's function, e^-1 mod (P-1)(Q-1): in bits, and in the time of a
decryption. OpenSSL makes keys of fewer than 2048 bits in an older way, with Euler's function. Times
are ratios within one run, each of medians of the CPU time of ROUNDS decryptions.
"""

import math
import re
import statistics
import sys
import time


def numbers(text):
    """Returns the numbers of a key by name."""
    found = {}
    for name, digits in re.findall(r"^(\w+):\n((?: +[0-9a-f:]+\n)+)", text, re.MULTILINE):
        found[name] = int(re.sub(r"[\s:]", "", digits), 16)
    found["publicExponent"] = int(re.search(r"^publicExponent: (\d+)", text, re.MULTILINE)[1])
    return found


def exponents(e, p, q):
    """Returns the private exponents by Carmichael's and by Euler's function."""
    return pow(e, -1, math.lcm(p - 1, q - 1)), pow(e, -1, (p - 1) * (q - 1))


def decrypt_crt(cipher, p, q, dp, dq, q_inverse):
    """Decrypts as RFC 8017 section 5.1.2 does with the factors."""
    mp, mq = pow(cipher, dp, p), pow(cipher, dq, q)
    return mq + (mp - mq) * q_inverse % p * q


def medians(rounds, *functions):
    """Returns the median time of each function. The functions take turns."""
    times = [[] for _ in functions]
    for _ in range(rounds):
        for function, of_function in zip(functions, times):
            begin = time.process_time()
            function()
            of_function.append(time.process_time() - begin)
    return [statistics.median(of_function) for of_function in times]


class Key:
    def __init__(self, text):
        found = numbers(text)
        self.n, self.e, self.d = found["modulus"], found["publicExponent"], found["privateExponent"]
        self.p, self.q = found["prime1"], found["prime2"]
        self.dp, self.dq, self.q_inverse = found["exponent1"], found["exponent2"], found["coefficient"]
        self.carmichael, self.euler = exponents(self.e, self.p, self.q)

    def function(self):
        """Returns modulo which function OpenSSL inverts e."""
        return "lcm(P-1, Q-1)" if self.n.bit_length() >= 2048 else "(P-1)(Q-1)"

    def check(self):
        assert self.p * self.q == self.n
        expected = self.carmichael if self.function() == "lcm(P-1, Q-1)" else self.euler
        assert self.d == expected, f"OpenSSL's d is not e^-1 mod {self.function()}"
        # With CRT, both functions give the same exponents, so that there is nothing to gain.
        for d in (self.carmichael, self.euler):
            assert (d % (self.p - 1), d % (self.q - 1)) == (self.dp, self.dq)
        cipher = pow(12345, self.e, self.n)
        assert pow(cipher, self.carmichael, self.n) == pow(cipher, self.euler, self.n) == 12345
        assert decrypt_crt(cipher, self.p, self.q, self.dp, self.dq, self.q_inverse) == 12345

    def times(self, rounds):
        """Returns the times of Euler's, Carmichael's and CRT's decryption, and again Euler's."""
        cipher = pow(12345, self.e, self.n)
        euler, carmichael, crt_euler, crt_carmichael, again = medians(
            rounds,
            lambda: pow(cipher, self.euler, self.n),
            lambda: pow(cipher, self.carmichael, self.n),
            lambda: decrypt_crt(cipher, self.p, self.q, self.euler % (self.p - 1), self.euler % (self.q - 1), self.q_inverse),
            lambda: decrypt_crt(cipher, self.p, self.q, self.carmichael % (self.p - 1), self.carmichael % (self.q - 1), self.q_inverse),
            lambda: pow(cipher, self.euler, self.n))
        return carmichael / euler, again / euler, crt_carmichael / crt_euler, crt_carmichael / euler


def self_check():
    """Known small numbers: P = 7, Q = 13, lcm 12, product 72."""
    assert exponents(5, 7, 13) == (5, 29)
    assert exponents(17, 61, 53) == (413, 2753)
    text = "modulus:\n    00:c3:\n    5f\npublicExponent: 17 (0x11)\nprime1: 61 (0x3d)\n"
    assert numbers(text) == {"modulus": 0xc35f, "publicExponent": 17}


def show(what, values, form):
    print(f"{what:<58} {statistics.median(values):{form}} ({min(values):{form}} to {max(values):{form}})")


def main(rounds, *names):
    self_check()
    keys = []
    for name in names:
        with open(name, encoding="ascii") as file:
            keys.append(Key(file.read()))
        keys[-1].check()
    print(f"{len(keys)} keys of {keys[0].n.bit_length()} bits: d of OpenSSL is e^-1 mod {keys[0].function()} in all of them")
    print(f"{'the exponents of both functions are the same':<58} {sum(k.euler == k.carmichael for k in keys)} keys")
    print("median (range):")
    show("bits of Euler's exponent", [k.euler.bit_length() for k in keys], "g")
    show("bits that Carmichael's exponent is shorter", [k.euler.bit_length() - k.carmichael.bit_length() for k in keys], "g")
    if int(rounds) > 0:
        times = list(zip(*(k.times(int(rounds)) for k in keys)))
        show("time without CRT, Carmichael / Euler", times[0], ".3f")
        show("time without CRT, Euler / Euler (the error of the measure)", times[1], ".3f")
        show("time with CRT, Carmichael / Euler", times[2], ".3f")
        show("time with CRT / without CRT, Euler", times[3], ".3f")


if __name__ == "__main__":
    main(*sys.argv[1:])
