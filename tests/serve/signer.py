# SPDX-License-Identifier: Apache-2.0
"""Keys and signed tokens made by the command of OpenSSL: nothing of Ferrule's signs what Ferrule is to check."""

import base64
import hashlib
import hmac
import json
import os
import subprocess
import tempfile
import time

folder = tempfile.TemporaryDirectory()
NOW = int(time.time())


def openssl(*words, data=None):
    return subprocess.run(["openssl", *words], input=data, capture_output=True, check=True, timeout=120).stdout


def b64(data):
    return base64.urlsafe_b64encode(data if isinstance(data, bytes) else data.encode()).rstrip(b"=").decode()


def parts_of(der):
    """The values of a DER sequence."""
    found, at = [], 0
    while at < len(der):
        size, head = der[at + 1], 2
        if size & 0x80:
            head = 2 + (size & 0x7F)
            size = int.from_bytes(der[at + 2:at + head], "big")
        found.append(der[at + head:at + head + size])
        at += head + size
    return found


KINDS = {  # algorithm: how a key is made, the digest, bytes of a half
    "RS256": (("RSA", "rsa_keygen_bits:2048"), "sha256", 0), "RS384": (("RSA", "rsa_keygen_bits:2048"), "sha384", 0),
    "RS512": (("RSA", "rsa_keygen_bits:2048"), "sha512", 0), "PS256": (("RSA", "rsa_keygen_bits:2048"), "sha256", 0),
    "PS384": (("RSA", "rsa_keygen_bits:2048"), "sha384", 0), "PS512": (("RSA", "rsa_keygen_bits:2048"), "sha512", 0),
    "ES256": (("EC", "ec_paramgen_curve:P-256"), "sha256", 32), "ES384": (("EC", "ec_paramgen_curve:P-384"), "sha384", 48),
    "EdDSA": (("ED25519",), None, 32),
}
made = 0


class Key:
    def __init__(self, alg="ES256", kid=None, bits=None, like=None):
        global made
        made += 1
        self.alg, self.kid = alg, kid or f"key-{made}"
        self.make, self.digest, self.half = KINDS[alg]
        if bits:
            self.make = ("RSA", f"rsa_keygen_bits:{bits}")
        self.path = like.path if like else os.path.join(folder.name, f"{made}.pem")
        if not like:
            openssl("genpkey", "-algorithm", self.make[0], *(x for o in self.make[1:] for x in ("-pkeyopt", o)), "-out", self.path)
        self.public = openssl("pkey", "-in", self.path, "-pubout", "-outform", "DER")

    def jwk(self, **more):
        bits = parts_of(parts_of(self.public)[0])[-1][1:]
        if self.make[0] == "RSA":
            n, e = parts_of(parts_of(bits)[0])
            own = {"kty": "RSA", "n": b64(n.lstrip(b"\0")), "e": b64(e)}
        elif self.make[0] == "EC":
            own = {"kty": "EC", "crv": "P-256" if self.half == 32 else "P-384", "x": b64(bits[1:1 + self.half]), "y": b64(bits[1 + self.half:])}
        else:
            own = {"kty": "OKP", "crv": "Ed25519", "x": b64(bits)}
        return dict(own, kid=self.kid, **more)

    def sign(self, text):
        path = os.path.join(folder.name, "text")
        with open(path, "wb") as file:
            file.write(text)
        if self.alg == "EdDSA":
            return openssl("pkeyutl", "-sign", "-inkey", self.path, "-rawin", "-in", path)
        pss = ("-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:digest") if self.alg[0] == "P" else ()
        signature = openssl("dgst", "-" + self.digest, "-sign", self.path, *pss, path)
        if not self.half:
            return signature
        return b"".join(x.lstrip(b"\0").rjust(self.half, b"\0") for x in parts_of(parts_of(signature)[0]))

    def token(self, claims, head=None, signature=None, raw=None):
        """A token; `head` changes its header, `raw` is the text of the claims."""
        header = {"alg": self.alg, "typ": "JWT", "kid": self.kid}
        header.update(head or {})
        header = {k: v for k, v in header.items() if v is not None}
        text = b64(json.dumps(header)) + "." + b64(raw if raw is not None else json.dumps(claims))
        return text + "." + b64(self.sign(text.encode()) if signature is None else signature(text) if callable(signature) else signature)


def hmac_token(key, secret, claims, alg="HS256"):
    text = b64(json.dumps({"alg": alg, "typ": "JWT", "kid": key.kid})) + "." + b64(json.dumps(claims))
    return text + "." + b64(hmac.new(secret, text.encode(), hashlib.sha256).digest())


def keys(*list_of):
    return json.dumps({"keys": [k if isinstance(k, dict) else k.jwk() for k in list_of]})
